import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatedWorkflow, haltingWorkflow, quickWorkflow } from './project.ts';
import { begin, beginHeld, MERGE, missionControl, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

test('a run is seen live, halts, is answered with guidance, and its result is merged', async () => {
  const project = scene.project(haltingWorkflow());
  const window = await beginHeld(scene, project, 'Greet by name');
  const { page } = window;
  await window.command('View: Toggle Primary Side Bar Visibility');
  await picture(page, 'run');
  project.release();
  const view = await missionControl(window, 'Action required');
  await window.status('1').first().waitFor();
  await picture(page, 'halt');
  await view.getByRole('textbox').first().fill('nme is a typing slip');
  await view.getByRole('button', { name: 'Ask for a change' }).first().click();
  const result = await missionControl(window, MERGE);
  await picture(page, 'result');
  await result.getByRole('option', { name: 'greet.mjs' }).first().click();
  await page.locator('.monaco-diff-editor .view-line', { hasText: 'greet' }).first().waitFor();
  await picture(page, 'diff');
  await window.command('RoboSmith: Open Mission Control');
  const again = await missionControl(window, MERGE);
  await again.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => project.git('log', '--format=%s', '-1').trim(), PATIENCE).toBe('Greet by name');
  await missionControl(window, 'merged');
  await picture(page, 'merged');
  expect(project.git('show', 'HEAD:greet.mjs').trim()).toBe("export const greet = (name) => 'Hello ' + name;");
});

test('a session is held, and resumed', async () => {
  const project = scene.project(quickWorkflow());
  const window = await begin(scene, project, { title: 'Greet at once' });
  const held = await missionControl(window, MERGE);
  await held.getByRole('button', { name: 'Finish & Hold Branch' }).click();
  await expect.poll(() => project.stateOf('Greet at once'), PATIENCE).toBe('held');
  await held.getByRole('button', { name: 'Resume Session' }).waitFor();
  await picture(window.page, 'held');
  await window.status('RoboSmith:').click();
  await window.pick('Resume held');
  await window.pick('Greet at once');
  await expect.poll(() => project.stateOf('Greet at once'), PATIENCE).toBe('ready');
});

test('a branch is discarded after a question, and restored', async () => {
  const project = scene.project(quickWorkflow());
  const window = await begin(scene, project, { title: 'Greet in vain' });
  const view = await missionControl(window, MERGE);
  const [session] = project.sessions();
  await view.getByRole('button', { name: 'Reject and Discard Branch' }).click();
  await window.page.getByRole('button', { name: 'Discard', exact: true }).waitFor();
  await picture(window.page, 'discard');
  expect(existsSync(session?.worktree ?? '')).toBe(true);
  await window.page.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect.poll(() => existsSync(session?.worktree ?? ''), PATIENCE).toBe(false);
  await (await window.view('body', 'The branch is discarded.')).getByRole('button', { name: 'Restore' }).click();
  await expect.poll(() => project.stateOf('Greet in vain'), PATIENCE).toBe('held');
  await missionControl(window, 'Greet in vain is held');
  await picture(window.page, 'restored');
});

test('a halt is answered with one action of the inbox', async () => {
  const project = scene.project(gatedWorkflow());
  const window = await begin(scene, project, { title: 'Greet from the inbox' });
  await missionControl(window, 'Action required');
  const row = window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Greet from the inbox' });
  // VS Code closes a list when an editor that opens late takes the focus.
  for (let tries = 0; tries < 3 && !(await row.isVisible()); tries += 1) {
    await window.command('RoboSmith: Show Inbox');
    await row.waitFor({ timeout: 15_000 }).catch(() => undefined);
  }
  await row.hover();
  await picture(window.page, 'inbox');
  await row.getByRole('button', { name: 'Approve' }).click();
  await missionControl(window, MERGE);
});

test('a run that goes step by step waits before each block', async () => {
  const project = scene.project(quickWorkflow());
  const window = await begin(scene, project, { title: 'Greet slowly', mode: 'Step by step' });
  for (const block of ['Write', 'Save', 'Test']) {
    const view = await missionControl(window, `in step mode: ${block} is next`);
    await picture(window.page, `step-${block}`);
    await view.getByRole('button', { name: 'Approve' }).first().click();
  }
  await missionControl(window, MERGE);
});

test('a gate shows what it lets through, and opens it in the editor', async () => {
  const project = scene.project(gatedWorkflow());
  const window = await begin(scene, project, { title: 'Greet behind a gate' });
  const view = await missionControl(window, 'Test is a gate and waits for your approval.');
  const file = view.getByRole('option', { name: 'greet.mjs' }).first();
  await file.waitFor();
  await picture(window.page, 'gate');
  await file.click();
  await window.page.locator('.monaco-diff-editor .view-line', { hasText: 'greet' }).first().waitFor();
  await window.command('RoboSmith: Open Mission Control');
  const again = await missionControl(window, 'Test is a gate and waits for your approval.');
  await again.getByRole('button', { name: 'Approve' }).first().click();
  await missionControl(window, MERGE);
});

test('chat and context follow the block that is selected in Mission Control', async () => {
  const project = scene.project(haltingWorkflow());
  const window = await begin(scene, project, { title: 'Talk about it' });
  await missionControl(window, 'Action required');
  await window.command('Focus on RoboSmith Chat View');
  const chat = await window.view('main[aria-label="RoboSmith Chat"]');
  const view = await missionControl(window, 'Action required');
  const card = view.locator('.card', { has: view.locator('.name', { hasText: /^Test$/ }) });
  // The view may still be scrolling, so the click is repeated.
  await expect
    .poll(async () => {
      await card.click();
      return chat.locator('main').innerText();
    }, PATIENCE)
    .toContain('Internal:TestRunner');
  await window.view('main[aria-label="Context Inspector"]', 'Payload');
  await picture(window.page, 'chat');
});

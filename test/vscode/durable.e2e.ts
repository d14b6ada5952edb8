import { expect, test } from 'vitest';
import { haltingWorkflow, quickWorkflow } from './project.ts';
import { begin, beginHeld, MERGE, missionControl, newWorkflow, runningTab, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

test('a window that is reloaded in mid-run shows the run again, which has gone on', async () => {
  const project = scene.project(quickWorkflow());
  const window = await beginHeld(scene, project, 'Reload me');
  const host = project.hostPid();
  await window.reload();
  await runningTab(await missionControl(window, 'Reload me'), 'Reload me').waitFor();
  await picture(window.page, 'reloaded');
  project.release();
  await missionControl(window, MERGE);
  expect(project.hostPid()).toBe(host);
});

test('a host that is killed in mid-run is replaced, and the run goes on when a person says so', async () => {
  const project = scene.project(quickWorkflow());
  const window = await beginHeld(scene, project, 'Kill the host');
  const host = project.hostPid();
  if (host === null) throw new Error('no host runs');
  process.kill(host, 'SIGKILL');
  const view = await missionControl(window, 'Interrupted');
  await picture(window.page, 'host-killed');
  project.release();
  await view.getByRole('button', { name: 'Resume', exact: false }).first().click();
  await missionControl(window, MERGE);
  expect(project.hostPid()).not.toBe(host);
});

test('two windows show the same run, and an answer of one is seen in the other', async () => {
  const project = scene.project(haltingWorkflow());
  const first = await begin(scene, project, { title: 'Seen twice' });
  const second = await scene.window(project.folder);
  await second.status('RoboSmith:').waitFor();
  await second.command('RoboSmith: Open Mission Control');
  await missionControl(first, 'Action required');
  const view = await missionControl(second, 'Action required');
  await view
    .getByRole('button', { name: /^Try .+ again/ })
    .first()
    .click();
  await missionControl(first, MERGE);
  await missionControl(second, MERGE);
});

test('the window swaps to worktrees of two sessions, and back, while both run', async () => {
  const project = scene.project(quickWorkflow());
  const window = await beginHeld(scene, project, 'Work inside');
  await newWorkflow(window, { title: 'Work beside', node: 'Notes', plan: 'notes.mjs', asks: false });
  await runningTab(await missionControl(window, 'Work beside'), 'Work beside').waitFor();
  for (const [item, name] of [
    ['Work inside', 'Work inside'],
    ['Work beside', 'Work beside'],
    ['main project', 'greeter'],
  ] as const) {
    await window.status('RoboSmith:').click();
    await window.pick(item);
    await window.status(`RoboSmith: ${name}`).waitFor(PATIENCE);
    const view = await window.view('.ticker', 'Work inside');
    await runningTab(view, 'Work inside').waitFor();
    await runningTab(view, 'Work beside').waitFor();
    await picture(window.page, `swapped-to-${name.replaceAll(' ', '-')}`);
  }
  project.release();
  await expect.poll(() => project.stateOf('Work inside'), PATIENCE).toBe('ready');
  await expect.poll(() => project.stateOf('Work beside'), PATIENCE).toBe('ready');
});

test('VS Code measures how long activation takes, which is printed', async () => {
  const project = scene.project(quickWorkflow());
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await window.command('Developer: Show Running Extensions');
  const row = window.page.locator('.runtime-extensions-editor .extension', { hasText: 'RoboSmith' }).first();
  const time = row.locator('.activation-time');
  await time.waitFor();
  const text = await time.innerText();
  await picture(window.page, 'activation');
  // The time is printed but not checked, because it can be ten times as long on a busy machine. The target is 150 ms.
  console.log(`RoboSmith in VS Code: ${text}`);
  expect(text).toMatch(/\d+\s*ms/);
});

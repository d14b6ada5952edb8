import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { quickWorkflow } from './project.ts';
import { begin, MERGE, missionControl, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

test('what one block changed is listed in the inspector, and opened as one diff and as several', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  const window = await begin(scene, project, { title: 'Greet by block' });
  const { page } = window;
  const view = await missionControl(window, MERGE);
  await view.getByRole('button', { name: 'Show the graph' }).click();
  const files = view.getByRole('listbox', { name: 'Changed files' });
  // The view may still be scrolling, so the click is repeated.
  await expect
    .poll(async () => {
      await view.locator('.card', { hasText: 'Save' }).click();
      return files.getByRole('option').count();
    }, PATIENCE)
    .toBe(1);
  await picture(page, 'block-changes');
  await files.getByRole('option', { name: 'greet.mjs' }).click();
  await page.locator('.tab.active', { hasText: 'Feature__Save, visit 1 (Greet by block)' }).waitFor();
  await page.locator('.monaco-diff-editor .view-line', { hasText: "'Hello ' + name" }).first().waitFor();
  await page.locator('.monaco-diff-editor .view-line', { hasText: "'Hello ' + who" }).first().waitFor();

  await window.command('RoboSmith: Show Changes of a Block');
  await window.step('Changes of Greet by block');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  expect(await rows.count()).toBe(1);
  await window.pick('Feature__Save');
  const several = page.locator('.editor-instance.multiDiffEditor, .multiDiffEditor, .monaco-component.multiDiffEditor');
  await several.first().waitFor();
  await several.locator('.view-line', { hasText: "'Hello ' + name" }).first().waitFor();
  await picture(page, 'block-changes-in-editor');
});

test('leftovers are listed with size and reason, removed when they hold nothing, and kept when they do', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  const window = await begin(scene, project, { title: 'Greet and go' });
  const { page } = window;
  await missionControl(window, MERGE);
  const place = path.dirname(project.sessions()[0]?.worktree ?? '');
  const [empty, full] = [path.join(place, 'left-over-s0000aaaa'), path.join(place, 'with-work-s0000bbbb')];
  project.git('worktree', 'add', '--quiet', '-b', 'robosmith/left-over', empty);
  project.git('worktree', 'add', '--quiet', '-b', 'robosmith/with-work', full);
  writeFileSync(path.join(full, 'work.txt'), 'only here\n');

  await window.command('RoboSmith: Clean Up');
  await window.step('Clean up');
  const row = (text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  await row('left-over-s0000aaaa')
    .filter({ hasText: /worktree, [\d.]+ K?B/ })
    .waitFor();
  await row('with-work-s0000bbbb').filter({ hasText: 'work.txt' }).waitFor();
  await picture(page, 'clean-up');
  // A leftover that holds work can't be ticked.
  await row('with-work-s0000bbbb').click();
  await page.locator('.quick-input-widget .quick-input-box input.input').focus();
  await page.keyboard.press('Enter');
  await window.command('Notifications: Show Notifications');
  await page.locator('.notifications-center .notification-list-item', { hasText: '1 of 1 removed.' }).first().waitFor();
  expect([existsSync(empty), existsSync(full)]).toEqual([false, true]);
  expect(project.git('branch', '--list', 'robosmith/*')).not.toContain('left-over');
});

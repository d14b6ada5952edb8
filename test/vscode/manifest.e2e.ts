import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, SHARED } from '../desktop/manifests.ts';
import { type Project, quickWorkflow } from './project.ts';
import { missionControl, useEditor } from './scene.ts';
import { type EditorWindow, picture } from './window.ts';

const scene = useEditor();

/** Creates a project with the two manifests. */
function withManifest(): Project {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  writeFileSync(path.join(project.folder, '.vision', 'workflows.json'), MAIN);
  writeFileSync(path.join(project.folder, '.vision', 'shared.json'), SHARED);
  return project;
}

const text = (project: Project, file: string): string =>
  readFileSync(path.join(project.folder, '.vision', file), 'utf8');

/** Opens a file as a user would and waits for its code lenses. */
async function openManifest(window: EditorWindow, file: string): Promise<void> {
  await window.file(file);
  await window.page.locator('.codelens-decoration', { hasText: 'Simulate' }).first().waitFor();
}

/** Moves the cursor to a text in the file, plus a number of characters. */
async function goTo(window: EditorWindow, file: string, found: string, plus = 0): Promise<void> {
  const lines = file.slice(0, file.indexOf(found) + plus).split('\n');
  await window.goTo(lines.length, (lines.at(-1)?.length ?? 0) + 1);
}

const problem = ({ page }: EditorWindow, message: string) =>
  page.locator('.markers-panel .monaco-list-row', { hasText: message });

const offered = ({ page }: EditorWindow, label: string) =>
  page.locator('.suggest-widget .monaco-list-row', { hasText: label });

const saveAll = (window: EditorWindow): Promise<void> => window.command('File: Save All Files');

test('a fault is in Problems, a quick fix mends it, and the problem goes', async () => {
  const project = withManifest();
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await openManifest(window, 'workflows.json');
  await window.command('Problems: Focus on Problems View');
  await problem(window, 'The return address "Dnoe" of "CALL:Review:Dnoe" does not exist.').waitFor();
  await picture(page, 'manifest-problem');
  await openManifest(window, 'workflows.json');
  await goTo(window, MAIN, 'Dnoe');
  await page.keyboard.press('Control+.');
  await page.locator('.action-widget .monaco-list-row', { hasText: 'Replace with "Done"' }).click();
  await problem(window, 'Dnoe').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+S');
  await expect.poll(() => text(project, 'workflows.json')).toContain('"CALL:Review:Done"');
});

test('names are completed, found, shown and renamed in all files of the manifest', async () => {
  const project = withManifest();
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await openManifest(window, 'workflows.json');

  // Completion offers the blocks of this node and those of the imported file.
  await goTo(window, MAIN, 'Dnoe');
  await page.keyboard.press('Control+Space');
  await offered(window, 'Done').first().waitFor();
  await offered(window, 'Review__Read').first().waitFor();
  // Values of other nodes, which VS Code's own JSON support offers, come later.
  expect(await page.locator('.suggest-widget .monaco-list-row').first().innerText()).not.toContain('"');
  await picture(page, 'manifest-completion');
  await page.keyboard.press('Escape');

  // Completion also works in a complete action, while the text is unsaved.
  await goTo(window, MAIN, 'HALT_AND_FLAG');
  await page.keyboard.press('Control+Space');
  await offered(window, 'JUMP:Done').first().waitFor();
  await offered(window, 'CALL:Review').first().waitFor();
  await page.keyboard.press('Escape');

  // Keys of the schema are completed, in an imported file as well.
  await openManifest(window, 'shared.json');
  await goTo(window, SHARED, 'entry_block');
  await page.keyboard.press('Control+Space');
  await offered(window, 'static_memory').first().waitFor();
  await page.keyboard.press('Escape');

  // Go to definition leads from the action into the imported file.
  await openManifest(window, 'workflows.json');
  await goTo(window, MAIN, 'Review:Dnoe', 2);
  await page.keyboard.press('F12');
  await page.locator('.tab.active', { hasText: 'shared.json' }).waitFor();

  // Renaming the node there also changes the action in the other file.
  await page.keyboard.press('F2');
  const box = page.locator('.rename-box input.rename-input');
  await box.waitFor();
  await box.fill('Audit');
  await page.keyboard.press('Enter');
  await page.locator('.codelens-decoration').first().waitFor();
  await saveAll(window);
  await expect.poll(() => text(project, 'shared.json')).toContain('"Audit": {');
  await expect.poll(() => text(project, 'workflows.json')).toContain('"CALL:Audit:Dnoe"');

  // A single undo reverts both files.
  await page.keyboard.press('Control+Z');
  await saveAll(window);
  await expect.poll(() => text(project, 'workflows.json')).toContain('"CALL:Review:Dnoe"');
  await expect.poll(() => text(project, 'shared.json')).toContain('"Review": {');
});

test('the lenses show a node, simulate it, and begin a session of it', async () => {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await openManifest(window, 'workflows.json');
  await picture(page, 'manifest-lenses');
  const lens = (label: string) => page.locator('.codelens-decoration a', { hasText: label }).first();
  await lens('Simulate').click();
  await page.locator('.xterm-rows', { hasText: 'Feature' }).waitFor();
  await lens('Run').click();
  await page.locator('.quick-input-title', { hasText: 'New workflow (1 of 4)' }).waitFor();
  await page.keyboard.press('Escape');
  await lens('Show graph').click();
  await missionControl(window, 'Feature');
});

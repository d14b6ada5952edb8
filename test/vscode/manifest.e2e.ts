import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Project, quickWorkflow } from './project.ts';
import { missionControl, useEditor } from './scene.ts';
import { type EditorWindow, picture } from './window.ts';

const scene = useEditor();

const MAIN = `{
  "version": 1,
  "entry": "Feature",
  "imports": ["./shared.json"],
  "workers": { "Worker:Coder": { "kind": "scripted", "answers": "./answers.json" } },
  "nodes": {
    "Feature": {
      "entry_block": "Write",
      "blocks": {
        "Write": {
          "worker": "Worker:Coder",
          "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "CALL:Review:Dnoe" },
            { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "HALT_AND_FLAG" }
          ]
        },
        "Done": { "worker": "Internal:ManualIntervention" }
      }
    }
  }
}
`;

const SHARED = `{
  "version": 1,
  "nodes": {
    "Review": {
      "entry_block": "Read",
      "blocks": { "Read": { "worker": "Internal:ManualIntervention" } }
    }
  }
}
`;

/** Creates a project with the two manifests. */
function withManifest(): Project {
  const project = scene.project(quickWorkflow({ writeMs: 1 }));
  writeFileSync(path.join(project.folder, '.vision', 'workflows.json'), MAIN);
  writeFileSync(path.join(project.folder, '.vision', 'shared.json'), SHARED);
  return project;
}

const text = (project: Project, file: string): string =>
  readFileSync(path.join(project.folder, '.vision', file), 'utf8');

/** Opens a file like a user and waits for its code lenses. */
async function openManifest(window: EditorWindow, file: string): Promise<void> {
  const { page } = window;
  await page.keyboard.press('Control+P');
  await window.type(file);
  await page.locator('.tab.active', { hasText: file }).waitFor();
  await page.locator('.codelens-decoration', { hasText: 'Simulate' }).first().waitFor();
}

/** Moves the cursor to a line and column, both counted from 1. */
async function goTo({ page, type }: EditorWindow, place: string): Promise<void> {
  await page.keyboard.press('Control+G');
  await page.locator('.quick-input-widget .quick-input-box input.input').waitFor();
  await type(`:${place}`);
}

const problem = ({ page }: EditorWindow, message: string) =>
  page.locator('.markers-panel .monaco-list-row', { hasText: message });

const offered = ({ page }: EditorWindow, label: string) =>
  page.locator('.suggest-widget .monaco-list-row', { hasText: label });

async function saveAll(window: EditorWindow): Promise<void> {
  await window.command('File: Save All Files').catch(() => window.command('Save All'));
}

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
  await goTo(window, '13:66');
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
  await goTo(window, '13:63');
  await page.keyboard.press('Control+Space');
  await offered(window, 'Done').first().waitFor();
  await offered(window, 'Review__Read').first().waitFor();
  await picture(page, 'manifest-completion');
  await page.keyboard.press('Escape');

  // A complete action is completed too, while the text is unsaved.
  await goTo(window, '14:61');
  await page.keyboard.press('Control+Space');
  await offered(window, 'JUMP:Done').first().waitFor();
  await offered(window, 'CALL:Review').first().waitFor();
  await page.keyboard.press('Escape');

  // Keys of the schema are completed, in an imported file as well.
  await openManifest(window, 'shared.json');
  await goTo(window, '5:7');
  await page.keyboard.press('Control+Space');
  await offered(window, 'static_memory').first().waitFor();
  await page.keyboard.press('Escape');

  // Go to definition leads from the action into the imported file.
  await openManifest(window, 'workflows.json');
  await goTo(window, '13:60');
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
  const undoAll = page.getByRole('button', { name: /Undo in 2 Files/ });
  await undoAll.click();
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

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { addKey, keyRow } from './keys.ts';
import { modelWorkflow, type Project, quickWorkflow } from './project.ts';
import { missionControl, newWorkflow, useEditor } from './scene.ts';
import { type EditorWindow, picture } from './window.ts';

const KEY = 'sk-test-editor-00112233445566778899';
const SOURCE = 'export const twice = (a) => a + 1;\n';
const ANSWER = 'It adds one.\n\n```js\nexport const twice = (a) => a * 2;\n```\n';

const scene = useEditor();
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());

/** Creates a project with a local model server, and a file to ask a question about. */
function withModel(): Project {
  const workflow = quickWorkflow({ writeMs: 1 });
  const model = { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url('says') };
  const workers = { ...workflow.manifest.workers, 'Worker:Model': model };
  const project = scene.project({ ...workflow, manifest: { ...workflow.manifest, workers } });
  writeFileSync(path.join(project.folder, 'twice.mjs'), SOURCE);
  return project;
}

const source = (project: Project): string => readFileSync(path.join(project.folder, 'twice.mjs'), 'utf8');

const addOwn = (window: EditorWindow, name: string): Promise<void> =>
  addKey(window, { name, address: server.url('says'), secret: KEY });

const button = ({ page }: EditorWindow, name: string) => page.getByRole('button', { name, exact: true });

const APPLY = 'Apply Change';

/** Returns a button beside the tabs of the active editor. */
const inTitle = ({ page }: EditorWindow, name: string) =>
  page.locator('.editor-actions').getByRole('button', { name }).first();

const proposal = ({ page }: EditorWindow) => page.locator('.tab', { hasText: 'proposed change' });

/** Asks about the file of the test, and waits for the proposed change. */
async function askForChange(window: EditorWindow): Promise<void> {
  await window.file('twice.mjs');
  await window.command('RoboSmith: Quick Fix');
  await window.type('Why is twice(3) not 6?');
  await proposal(window).waitFor();
}

const activeText = ({ page }: EditorWindow, text: string) => page.locator('.view-lines', { hasText: text }).first();

test('a question is answered, its change is previewed, taken, and undone in one step; its call is sent again', async () => {
  server.say(ANSWER, ANSWER.replace('It adds one.', 'It should double.'));
  const project = withModel();
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await addOwn(window, 'mine');

  await window.file('twice.mjs');
  await window.command('RoboSmith: Quick Fix');
  await window.type('Why is twice(3) not 6?');
  await button(window, 'Trust and Run').click();
  await proposal(window).waitFor();
  await inTitle(window, APPLY).waitFor();
  await page.locator('.monaco-diff-editor .view-lines', { hasText: 'a * 2' }).first().waitFor();
  await picture(page, 'quick-fix-preview');
  expect(source(project)).toBe(SOURCE);

  // The question stays while another file is looked at.
  await window.file('greet.mjs');
  await page.locator('.tab', { hasText: 'proposed change' }).click();
  await inTitle(window, APPLY).click();
  await page.locator('.tab', { hasText: 'proposed change' }).waitFor({ state: 'detached' });
  await page.locator('.tab.active', { hasText: 'twice.mjs' }).waitFor();
  await page.keyboard.press('Control+S');
  await expect.poll(() => source(project)).toBe('export const twice = (a) => a * 2;\n');
  await page.keyboard.press('Control+Z');
  await page.keyboard.press('Control+S');
  await expect.poll(() => source(project)).toBe(SOURCE);
  expect(server.seen.at(-1)?.key).toBe(KEY);

  // The call is in the history. Its request is edited and sent again, and both answers are shown side by side.
  await window.command('RoboSmith: Inspect AI Calls');
  await window.pick('tiny');
  await activeText(window, 'Why is twice(3) not 6?').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Be brief.');
  await window.command('RoboSmith: Send This AI Call Again');
  await page.locator('.tab.active', { hasText: '↔' }).waitFor();
  await activeText(window, 'It should double.').waitFor();
  await picture(page, 'calls-compared');
  expect(server.seen.at(-1)?.body).toContain('Be brief.');
});

test('a proposed change that is discarded, or whose comparison is closed, changes nothing', async () => {
  server.say(ANSWER, ANSWER);
  const project = withModel();
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await addOwn(window, 'discards');
  await window.file('twice.mjs');
  await window.command('RoboSmith: Quick Fix');
  await window.type('Why is twice(3) not 6?');
  await button(window, 'Trust and Run').click();
  await proposal(window).waitFor();
  await inTitle(window, 'Discard Change').click();
  await proposal(window).waitFor({ state: 'detached' });
  await askForChange(window);
  await window.command('View: Close Editor');
  await proposal(window).waitFor({ state: 'detached' });
  await window.file('twice.mjs');
  await page.locator('.tab.active:not(.dirty)', { hasText: 'twice.mjs' }).waitFor();
  expect(source(project)).toBe(SOURCE);
});

test('a server of this machine needs no key: an empty one is taken, and calls are sent without one', async () => {
  server.say(ANSWER);
  const project = withModel();
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await addKey(window, { name: 'none', address: server.url('says'), secret: '' });
  const row = await keyRow(window, 'none');
  await row.getByText('healthy', { exact: false }).first().waitFor();
  await window.page.keyboard.press('Escape');
  await window.file('twice.mjs');
  await window.command('RoboSmith: Quick Fix');
  await window.type('Why is twice(3) not 6?');
  await button(window, 'Trust and Run').click();
  await proposal(window).waitFor();
  expect(server.seen.at(-1)?.key).toBe('');
});

test('an edited contract is written to the manifest as one edit, which Ctrl+Z undoes', async () => {
  const CONTRACT = 'Greet Ada. End with SIGNAL:SUCCESS.';
  const project = scene.project(modelWorkflow(server.url('says')));
  const file = path.join(project.folder, '.vision', 'workflows.json');
  const manifest = (): string => readFileSync(file, 'utf8');
  const before = manifest();
  server.say('Hello.\n\nSIGNAL:SUCCESS');
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith:').waitFor();
  await addOwn(window, 'words');
  await newWorkflow(window, { title: 'Ask', node: 'Talk' });
  await missionControl(window, 'Ask is complete');
  await window.command('RoboSmith: Inspect AI Calls');
  await window.pick('tiny');
  await activeText(window, CONTRACT).click();
  await page.keyboard.press('Control+H');
  await page.locator('.find-widget .find-part textarea').fill('Greet Ada.');
  await page.locator('.find-widget .replace-part textarea').fill('Greet Bob, and nobody else.');
  await page.keyboard.press('Control+Alt+Enter');
  await page.keyboard.press('Escape');
  await activeText(window, 'Greet Bob, and nobody else.').waitFor();
  await window.command('RoboSmith: Use This Wording in the Manifest');
  await page.locator('.tab.active', { hasText: 'workflows.json' }).waitFor();
  await activeText(window, 'Greet Bob, and nobody else.').waitFor();
  await page.keyboard.press('Control+S');
  await expect.poll(manifest).toBe(before.replace(CONTRACT, CONTRACT.replace('Ada.', 'Bob, and nobody else.')));
  await picture(page, 'wording-in-manifest');
  await page.keyboard.press('Control+Z');
  await page.keyboard.press('Control+S');
  await expect.poll(manifest).toBe(before);
});

test('a key is shown with its state, and never its text', async () => {
  const project = withModel();
  const window = await scene.window(project.folder);
  await window.status('RoboSmith:').waitFor();
  await addOwn(window, 'shown');
  await window.command('RoboSmith: Manage API Keys');
  const row = window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'shown' });
  await row.getByText('healthy', { exact: false }).first().waitFor();
  await picture(window.page, 'keys');
  expect(await window.page.content()).not.toContain(KEY);
});

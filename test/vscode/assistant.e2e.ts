import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { addKey } from './keys.ts';
import { type Project, quickWorkflow } from './project.ts';
import { useEditor } from './scene.ts';
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
  await page.locator('.tab', { hasText: 'proposed change' }).waitFor();
  // In VS Code's smoke test mode, notifications do not appear by themselves.
  await window.command('Notifications: Show Notifications');
  await button(window, 'Apply').waitFor();
  await page.locator('.monaco-diff-editor .view-lines', { hasText: 'a * 2' }).first().waitFor();
  await picture(page, 'quick-fix-preview');
  expect(source(project)).toBe(SOURCE);
  await button(window, 'Apply').click();
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

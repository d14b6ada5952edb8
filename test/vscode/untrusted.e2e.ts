import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { quickWorkflow } from './project.ts';
import { useEditor } from './scene.ts';
import { type EditorWindow, picture } from './window.ts';

const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Readonly<Record<string, string>>;
const { untrusted: UNTRUSTED = '?', virtual: VIRTUAL = '?' } = texts;

const scene = useEditor({ settings: { 'security.workspace.trust.enabled': true } });

const noCommands = ({ page }: EditorWindow) =>
  page.locator('.quick-input-list .monaco-list-row', { hasText: 'No matching commands' });

/** Opens the extension's page in VS Code, which says why the extension is disabled. */
async function extensionPage(window: EditorWindow): Promise<void> {
  await window.command('Extensions: Show Installed Extensions');
  await window.page.locator('.extensions-list .extension-list-item', { hasText: 'RoboSmith' }).first().click();
  await window.page.locator('.extension-editor .name', { hasText: 'RoboSmith' }).waitFor();
}

test('in a folder that is not trusted nothing starts, nothing runs and the reason is shown, until it is trusted', async () => {
  const project = scene.project(quickWorkflow());
  const files = (): readonly string[] => globSync('{.flow,.vision}/**', { cwd: project.folder }).sort();
  const before = files();
  const window = await scene.window(project.folder);
  const { page } = window;
  await page.getByText('Restricted Mode', { exact: false }).first().waitFor();
  await picture(page, 'untrusted');
  await window.palette('RoboSmith: ');
  await noCommands(window).waitFor();
  await page.keyboard.press('Escape');
  await extensionPage(window);
  await page.locator('.extension-editor', { hasText: UNTRUSTED }).waitFor();
  await picture(page, 'untrusted-reason');
  expect(await window.status('RoboSmith').count()).toBe(0);
  expect(files()).toEqual(before);
  expect(project.hostPid()).toBeNull();

  await window.command('Workspaces: Manage Workspace Trust');
  await page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).first().click();
  await window.status('RoboSmith: greeter').waitFor();
  await picture(page, 'trusted');
  expect(project.sessions()).toEqual([]);
});

test('in a virtual workspace the extension is off, and says why', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-virtual-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = path.join(folder, 'virtual.code-workspace');
  writeFileSync(workspace, JSON.stringify({ folders: [{ uri: 'memfs:/sample', name: 'sample' }] }));
  const window = await scene.window(workspace);
  await extensionPage(window);
  await window.page.locator('.extension-editor', { hasText: VIRTUAL }).waitFor();
  const details = await window.view('h1', 'RoboSmith');
  const broken = '[...document.images].filter((one) => one.complete && one.naturalWidth === 0).length';
  expect(await details.evaluate<number>(broken)).toBe(0);
  await picture(window.page, 'virtual-reason');
  expect(await window.status('RoboSmith').count()).toBe(0);
});

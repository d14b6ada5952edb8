import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeySearch } from '../secrets/find-keys.ts';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { addKey, keyRow } from './keys.ts';
import { modelWorkflow } from './project.ts';
import { missionControl, newWorkflow, readChat, useEditor } from './scene.ts';
import { shownInBrowser, storedInBrowser } from './stored-in-browser.ts';
import { picture } from './window.ts';

const KEPT = 'sk-test-secrets-kept-99aabbccddeeff00';
const GONE = 'sk-test-secrets-gone-0123456789abcdef';

const scene = useEditor({ keepsSecrets: true });
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());

test('no key is anywhere after it was added, used and removed: state, views, logs, files, SecretStorage, package', async () => {
  const user = scene.userFolder();
  const search = createKeySearch([KEPT, GONE]);
  const address = server.url('none');
  const project = scene.project(modelWorkflow(address));
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith: greeter').waitFor();
  await addKey(window, { name: 'kept', address, secret: KEPT });
  await addKey(window, { name: 'gone', address, secret: GONE });
  const row = await keyRow(window, 'gone');
  await row.hover();
  await row.getByRole('button', { name: 'Test' }).click();
  await page.getByText('gone: good', { exact: false }).first().waitFor();
  await row.hover();
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Remove', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await newWorkflow(window, { title: 'Use the key', node: 'Talk' });
  const view = await missionControl(window, 'Use the key is complete');
  expect(server.seen.map(({ key }) => key)).toEqual([GONE, KEPT]);
  await readChat(window, view, 'Ask', 'Hello from the model.');
  await window.command('Output: Show Output Channels');
  await window.pick('RoboSmith');
  await page.locator('.view-lines', { hasText: 'activated in' }).first().waitFor();
  await picture(page, 'secrets-used');

  // This checks that the search works: it finds data that may be stored.
  const stored = await storedInBrowser(page);
  expect(stored).toContain('roboSmith.keys');
  expect(stored).toContain('secrets.provider');
  expect(await shownInBrowser(page)).toContain('Hello from the model.');
  const logs = globSync(path.join(user, 'data/**/*RoboSmith.log'));
  expect(logs.map((file) => readFileSync(file, 'utf8')).join('')).toContain('activated in');
  const calls = globSync(path.join(project.folder, '.vision/logs/**/*.json'));
  expect(calls.map((file) => readFileSync(file, 'utf8')).join('')).toContain('Greet Ada.');

  expect([
    ...search.inText(stored, 'what the browser stores'),
    ...search.inText(await shownInBrowser(page), 'what the window shows'),
    ...search.below(user),
    ...search.below(path.dirname(project.folder)),
    ...search.below('dist'),
  ]).toEqual([]);

  // A window that is opened again reads the stored key from SecretStorage.
  project.robosmith('host', 'stop', '--force');
  await window.reload();
  await window.status('RoboSmith: greeter').waitFor();
  await newWorkflow(window, { title: 'Use it again', node: 'Talk', asks: false, plan: 'again.mjs' });
  await missionControl(window, 'Use it again is complete');
  expect(server.seen.at(-1)?.key).toBe(KEPT);
  expect(search.inText(await storedInBrowser(page), 'what the browser stores')).toEqual([]);
});

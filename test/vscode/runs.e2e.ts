import { globSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Editor, startEditor } from './editor.ts';
import { haltingWorkflow, makeProject, type Project } from './project.ts';
import { launchBrowser, openWindow, picture, type EditorWindow } from './window.ts';

let editor: Editor;
let browser: Browser;
let window: EditorWindow | null = null;
let project: Project | null = null;

beforeAll(async () => {
  const [vsix] = globSync('dist/robo-smith-extension-*.vsix');
  editor = await startEditor(path.resolve(vsix ?? ''));
  browser = await launchBrowser();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail' && window !== null) await picture(window.page, `failed ${task.name}`);
  await window?.close();
  window = null;
  project?.remove();
  project = null;
});

afterAll(async () => {
  await browser.close();
  editor.stop();
});

/** Creates a session with the navigator, as a person does. */
async function newWorkflow(
  { status, pick, type, page }: EditorWindow,
  title: string,
  mode = 'Autonomous',
): Promise<void> {
  await status('RoboSmith:').click();
  await pick('New workflow');
  await type(title);
  await pick('Feature');
  await pick(mode);
  await type('greet.mjs');
  await page.getByRole('button', { name: 'Trust and Run' }).click();
}

test('a run is seen live, halts, is answered with guidance, and its result is merged', async () => {
  project = makeProject(editor.folder, haltingWorkflow({ writeMs: 3_000, fixMs: 200 }));
  window = await openWindow(browser, editor.address, project.folder);
  const { page } = window;
  await window.status('RoboSmith: greeter').waitFor();
  await picture(page, '01-activated');
  await newWorkflow(window, 'Greet by name');
  const running = await window.view('main', 'Greet by name');
  await running.getByText('Running').first().waitFor();
  await picture(page, '02-run');
  const view = await window.view('main', 'Action required');
  await picture(page, '03-halt');
  await view.getByRole('textbox').first().fill('nme is a typing slip');
  await view.getByRole('button', { name: 'Retry' }).first().click();
  const result = await window.view('main', 'Accept and Merge Branch');
  await picture(page, '04-result');
  await result.getByRole('option', { name: 'greet.mjs' }).first().click();
  await page.getByRole('tab', { name: 'greet.mjs' }).first().waitFor();
  await picture(page, '05-diff');
  await window.command('RoboSmith: Open Mission Control');
  const again = await window.view('main', 'Accept and Merge Branch');
  await again.getByRole('button', { name: 'Accept and Merge Branch' }).click();
  await expect.poll(() => project?.git('log', '--format=%s', '-1').trim(), { timeout: 60_000 }).toBe('Greet by name');
  await picture(page, '06-merged');
  expect(project.git('show', 'HEAD:greet.mjs').trim()).toBe("export const greet = (name) => 'Hello ' + name;");
});

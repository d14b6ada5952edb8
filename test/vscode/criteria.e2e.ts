import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { recordCards, shownCards } from './card-history.ts';
import { addKey, keyRow } from './keys.ts';
import { modelWorkflow, quickWorkflow, troubleshootingWorkflow, twoBlockWorkflow } from './project.ts';
import { begin, beginHeld, MERGE, missionControl, newWorkflow, readChat, useEditor } from './scene.ts';
import { PATIENCE_MS, picture } from './window.ts';

/* The six success criteria of the product, one test each. */

const SPENT = 'sk-test-criteria-spent-0011223344';
const SPARE = 'sk-test-criteria-spare-5566778899';
const ASKING = 'sk-test-criteria-asking-1234567890';

const scene = useEditor();
const PATIENCE = { timeout: PATIENCE_MS };

let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server.close());

test('criterion 1: a node of several steps and workers with a troubleshooting side loop parses, and its failure leads there', async () => {
  const project = scene.project(troubleshootingWorkflow());
  const window = await scene.window(project.folder);
  await window.status('RoboSmith: greeter').waitFor();
  await window.command('RoboSmith: Open Mission Control');
  const view = await missionControl(window, 'Troubleshoot');
  const card = (name: string) => view.locator('.card', { has: view.locator('.name', { hasText: name }) });
  const failure = card('Test').locator('.row', { hasText: 'FAILURE' });
  await failure.waitFor();
  expect(await failure.getAttribute('data-action')).toBe('call');
  expect(await failure.locator('.target').innerText()).toBe('→ Troubleshoot');
  const blocks = await view.getByRole('tree', { name: 'Workflow' }).locator('[data-block]').all();
  expect(await Promise.all(blocks.map((one) => one.getAttribute('data-block')))).toEqual([
    'Feature__Write',
    'Feature__Save',
    'Feature__Test',
    'Troubleshoot__Mend',
  ]);
  await picture(window.page, 'criterion-1-parsed');

  // A run now follows the same link: its test fails once, and the troubleshooting node repairs the file.
  await newWorkflow(window, { title: 'Trouble' });
  await missionControl(window, MERGE);
  await picture(window.page, 'criterion-1-mended');
  const [session] = project.sessions();
  expect(readFileSync(path.join(session?.worktree ?? '', 'greet.mjs'), 'utf8')).toContain("'Hello ' + name");
});

test('criterion 2: two blocks run without a click and change their colours; without a signal the run halts in red', async () => {
  const project = scene.project(twoBlockWorkflow());
  project.hold();
  const window = await scene.window(project.folder);
  await window.status('RoboSmith: greeter').waitFor();
  // The run is started by the command line, so nothing is clicked. Mission Control opens by itself.
  project.robosmith('run', 'Two', '--session', 'Hands off', '--plan', 'a.mjs', '--detach', '--trust');
  const view = await missionControl(window, 'Hands off');
  await view.locator('.card[data-status=active]', { hasText: 'First' }).waitFor();
  await recordCards(view);
  await picture(window.page, 'criterion-2-first-amber');
  project.release();
  await view.locator('.card[data-status=active]', { hasText: 'Second' }).waitFor();
  await picture(window.page, 'criterion-2-second-amber');
  await missionControl(window, 'Hands off is complete');
  const shown = await shownCards(view);
  expect(shown.slice(0, 3)).toEqual([
    { block: 'First', status: 'active', colour: 'amber' },
    { block: 'First', status: 'complete', colour: 'green' },
    { block: 'Second', status: 'active', colour: 'amber' },
  ]);

  project.robosmith('run', 'Silent', '--session', 'No signal', '--plan', 'b.mjs', '--detach');
  const silent = view.getByRole('tab', { name: 'No signal' });
  await silent.click();
  await missionControl(window, 'Action required');
  await view.locator('.card[data-status=halted]', { hasText: 'Mute' }).waitFor();
  await recordCards(view);
  expect(await shownCards(view)).toEqual([{ block: 'Mute', status: 'halted', colour: 'red' }]);
  await picture(window.page, 'criterion-2-halted-red');
});

test('criterion 3: the integration panel opens a terminal named after the branch, in the worktree', async () => {
  const project = scene.project(quickWorkflow());
  const window = await begin(scene, project, { title: 'Greet at once' });
  const { page } = window;
  const view = await missionControl(window, MERGE);
  await view.getByRole('button', { name: 'Open Terminal in Worktree' }).click();
  const input = page.locator('.xterm-helper-textarea').first();
  await input.waitFor({ state: 'attached' });
  await input.focus();
  await page.keyboard.type('pwd > told.txt\n');
  const [session] = project.sessions();
  const written = path.join(session?.worktree ?? '', 'told.txt');
  await expect
    .poll(() => existsSync(written) && readFileSync(written, 'utf8'), PATIENCE)
    .toBe(`${session?.worktree ?? ''}\n`);
  await page
    .locator('.pane-composite-part.panel')
    .getByText(session?.branch ?? 'no branch')
    .first()
    .waitFor();
  await picture(page, 'criterion-3-terminal');
});

test('criterion 4: a 429 for one key goes over to the next, and the run gets its answer', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '600' }, body: '{"error":{"message":"slow down"}}' };
  const address = server.byKey({ [SPENT]: refusal, [SPARE]: 'none' });
  const project = scene.project(modelWorkflow(address));
  const window = await scene.window(project.folder);
  await window.status('RoboSmith: greeter').waitFor();
  await addKey(window, { name: 'a-spare', address, secret: SPARE });
  await addKey(window, { name: 'b-spent', address, secret: SPENT });
  const spent = await keyRow(window, 'b-spent');
  await spent.hover();
  await spent.getByRole('button', { name: 'Use earlier' }).click();
  await window.page.locator('.quick-input-list .monaco-list-row[data-index="0"]', { hasText: 'b-spent' }).waitFor();
  await window.page.keyboard.press('Escape');

  await newWorkflow(window, { title: 'Fail over', node: 'Talk' });
  const view = await missionControl(window, 'Fail over is complete');
  expect(server.seen.map(({ key }) => key)).toEqual([SPENT, SPARE]);
  await readChat(window, view, 'Ask', 'Hello from the model.');
  await picture(window.page, 'criterion-4-answer');
  const cooling = await keyRow(window, 'b-spent');
  await cooling.getByText('cooling until', { exact: false }).first().waitFor();
  const other = window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'a-spare' });
  await other.getByText('healthy', { exact: false }).first().waitFor();
  await picture(window.page, 'criterion-4-keys');
});

test('criterion 5: a logged call is loaded, edited, sent again, and shown side by side with the original', async () => {
  server.say('The first greeting.\n\nSIGNAL:SUCCESS', 'The second greeting.\n\nSIGNAL:SUCCESS');
  const project = scene.project(modelWorkflow(server.url('says')));
  const window = await scene.window(project.folder);
  const { page } = window;
  await window.status('RoboSmith: greeter').waitFor();
  await addKey(window, { name: 'asking', address: server.url('says'), secret: ASKING });
  await newWorkflow(window, { title: 'Ask twice', node: 'Talk' });
  await missionControl(window, 'Ask twice is complete');

  await window.command('RoboSmith: Inspect AI Calls');
  await window.pick('tiny');
  await page.locator('.view-lines', { hasText: 'Greet Ada.' }).first().waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Be brief.');
  await picture(page, 'criterion-5-edited');
  await window.command('RoboSmith: Send This AI Call Again');
  await page.locator('.tab.active', { hasText: '↔' }).waitFor();
  const side = (which: string) => page.locator(`.monaco-diff-editor .editor.${which} .view-lines`);
  await side('original').getByText('first', { exact: false }).first().waitFor();
  await side('modified').getByText('second', { exact: false }).first().waitFor();
  await picture(page, 'criterion-5-side-by-side');
  expect(server.seen.at(-1)?.body).toContain('Be brief.');
});

test('criterion 6: of two tasks that plan to change the same file, the second waits, and starts when the first is merged', async () => {
  const project = scene.project(quickWorkflow());
  const window = await beginHeld(scene, project, 'Task A');
  await newWorkflow(window, { title: 'Task B', asks: false });
  const waiting = await missionControl(window, 'Task B');
  await waiting.getByText('Clash').first().waitFor();
  await waiting.getByText('Waits for Task A: both change greet.mjs.').waitFor();
  await picture(window.page, 'criterion-6-race');
  expect(project.stateOf('Task B')).toBe('queued');
  project.release();
  await waiting.getByRole('tab', { name: 'Task A' }).click();
  const done = await missionControl(window, MERGE);
  await done.getByRole('button', { name: MERGE }).click();
  await expect.poll(() => project.stateOf('Task B'), PATIENCE).toBe('ready');
  await picture(window.page, 'criterion-6-second-done');
});

import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { GraphLayout } from '../../src/protocol/layout.ts';
import type {
  SessionTab,
  ViewGraph,
  ViewState,
  ViewToHost,
  WorkflowViewState,
} from '../../src/protocol/generated/view.gen.ts';
import { CHROMIUM_FLAGS, findChromium } from './find-chromium.ts';
import { placeGraph } from './place-graph.ts';
import {
  baseState,
  completeState,
  contextOf,
  factsOf,
  forkedState,
  haltedState,
  haltView,
  integration,
  NOW,
  pendingState,
  sessions,
} from './state-fixture.ts';
import { startViewServer, type ViewServer } from './view-server.ts';
import { workflowGraph } from './workflow-fixture.ts';

const place = findChromium();
let browser: Browser;
let layout: GraphLayout;
let server: ViewServer;
let page: Page;

beforeAll(async () => {
  if (place === null) return;
  browser = await chromium.launch({ executablePath: place, args: CHROMIUM_FLAGS });
  layout = await placeGraph(workflowGraph());
});
afterAll(() => browser?.close());
beforeEach(async (context) => {
  if (place === null) return context.skip();
  server = await startViewServer();
  server.onMessage = ({ command, payload }) => {
    if (command === 'requestBlock') server.send({ command: 'block', payload: factsOf(payload.block, payload.visit) });
    if (command === 'requestContext') server.send({ command: 'context', payload: contextOf(payload.block) });
  };
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page = await opened.newPage();
  page.setDefaultTimeout(15_000);
  return async () => {
    await opened.close();
    await server.close();
  };
});

async function open(state: ViewState): Promise<void> {
  server.show(state, layout);
  await page.goto(server.address());
}

async function show(state: ViewState): Promise<void> {
  await open(state);
  await page.getByRole('treeitem', { name: /^ProposeFix/ }).waitFor({ state: 'attached' });
}

const find = async (name: string): Promise<void> => {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Find block, node or signal' }).fill(name);
  await page.keyboard.press('Enter');
};

const workflowOf = ({ workflow }: ViewState): WorkflowViewState => {
  if (workflow === null) throw new Error('The state has no workflow.');
  return workflow;
};

/** Returns the name, or the text, of the element that has the keyboard focus. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element === document.body ? 'nothing' : (element?.ariaLabel ?? element?.textContent?.trim() ?? '');
  });

const guidance = () => page.getByLabel('What should the next attempt do differently?');

test('what is written for a halt stays with this halt', async () => {
  const state = haltedState();
  const workflow = workflowOf(state);
  const run = { ...workflow.run, run: 'r2' } as NonNullable<typeof workflow.run>;
  // The first halt of each run has the same id.
  const other = { ...state, open: 's2', workflow: { ...workflow, run, halts: [{ ...haltView(), run: 'r2' }] } };
  await show(state);
  await guidance().fill('Look at exp.');
  server.show(other);
  await page.getByRole('tab', { name: 'Rate limiter', selected: true }).waitFor();
  expect(await guidance().inputValue()).toBe('');
  server.show(state);
  await page.getByRole('tab', { name: 'Implement login', selected: true }).waitFor();
  expect(await guidance().inputValue()).toBe('Look at exp.');
});

test('the details of one halt do not hide the next one', async () => {
  const state = haltedState();
  const workflow = workflowOf(state);
  const run = { ...workflow.run, run: 'r2' } as NonNullable<typeof workflow.run>;
  await show(state);
  await page.getByRole('button', { name: 'Show block, chat and context' }).click();
  await page.getByRole('button', { name: 'Action required: answer' }).waitFor();
  server.show({ ...state, open: 's2', workflow: { ...workflow, run, halts: [{ ...haltView(), run: 'r2' }] } });
  await guidance().waitFor();
});

test('the keyboard focus comes back after a dialog, a search and an answer', async () => {
  await show(haltedState());
  await page.getByRole('button', { name: 'New workflow' }).click();
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('New workflow');
  await page.getByRole('button', { name: /Inbox/ }).click();
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toMatch(/Inbox/);
  await page.getByRole('button', { name: 'More…' }).click();
  await page.getByRole('button', { name: 'Jump to…' }).click();
  await page.getByRole('combobox', { name: 'Jump to block' }).press('Escape');
  await expect.poll(focused).toBe('Jump to…');
  await guidance().focus();
  server.patch({ kind: 'halts', halts: [] });
  await expect.poll(focused).toMatch(/^ProposeFix/);
});

test('the inbox closes as soon as something else is used', async () => {
  await show(baseState());
  await page.getByRole('button', { name: /Inbox/ }).click();
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor();
  await page.locator('.surface').click({ position: { x: 5, y: 5 } });
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Inbox/ }).click();
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor();
  await page.getByRole('button', { name: /Inbox/ }).click();
  await page.getByRole('dialog', { name: 'Inbox' }).waitFor({ state: 'detached' });
});

test('Escape closes the list of branches, and keeps the selection', async () => {
  await show(forkedState());
  await find('ProposeFix');
  await page.getByRole('heading', { name: /^ProposeFix/ }).waitFor();
  const branches = page.getByRole('button', { name: '3 branches' });
  await branches.click();
  await page.keyboard.press('Escape');
  expect(await branches.getAttribute('aria-expanded')).toBe('false');
  expect(await page.getByRole('heading', { name: /^ProposeFix/ }).count()).toBe(1);
  await branches.click();
  await page.locator('.surface').click({ position: { x: 5, y: 600 } });
  await expect.poll(() => branches.getAttribute('aria-expanded')).toBe('false');
});

test('the open tab is in view among many, and the wheel reaches the others', async () => {
  const [first] = sessions();
  if (first === undefined) throw new Error('There is no session.');
  const many = Array.from({ length: 12 }, (_, index): SessionTab => ({
    ...first,
    key: `t${index}`,
    session: `t${index}`,
    title: `Session number ${index}`,
  }));
  await show({ ...baseState(), sessions: many, open: 't11' });
  const tabs = page.getByRole('tablist', { name: 'Sessions' });
  const isSeen = async (name: string): Promise<boolean> => {
    const [box, all] = [await page.getByRole('tab', { name }).boundingBox(), await tabs.boundingBox()];
    return box !== null && all !== null && box.x >= all.x - 1 && box.x + box.width <= all.x + all.width + 1;
  };
  await expect.poll(() => isSeen('Session number 11')).toBe(true);
  expect(await isSeen('Session number 0 ')).toBe(false);
  await tabs.hover();
  await page.mouse.wheel(0, -5000);
  await expect.poll(() => isSeen('Session number 0 ')).toBe(true);
  await page.setViewportSize({ width: 500, height: 800 });
  await expect.poll(() => isSeen('Session number 11')).toBe(true);
});

test('a block that was running at a past step shows the time until then', async () => {
  await show(baseState());
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await page.getByText('Showing step 12 of 13').waitFor();
  await find('ReadFailures');
  // The block ran for one second; now is 13 seconds later.
  await expect.poll(() => page.locator('dl div', { hasText: 'Elapsed' }).innerText()).toMatch(/\s0\.0 s/);
});

test('a run that waits for a person keeps its steps visible on the timeline', async () => {
  const state = haltedState();
  const workflow = workflowOf(state);
  const since = NOW - 12_000;
  const week = since + 7 * 24 * 3_600_000;
  const visits = workflow.visits.map((visit) =>
    visit.status === 'halted' ? { ...visit, waits: [{ from: since, to: null }] } : visit,
  );
  await show({ ...state, time: week, workflow: { ...workflow, visits } });
  await page.waitForFunction(() => (document.querySelector('footer canvas') as HTMLCanvasElement).width > 0);
  const slider = page.getByRole('slider', { name: 'Steps of the run' });
  const box = await slider.boundingBox();
  if (box === null) throw new Error('The timeline is not shown.');
  // In the middle of the timeline is a step in the middle of the work, and not the wait of a week.
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('step 5 of 13, ApprovePlan');
});

test('each line of a semantic clash is a line on the page', async () => {
  const lines = ['likely: src/a.js:1 uses old of src/b.js:1', 'likely: src/a.js:4 uses old of src/b.js:1'];
  const clash = { with: { session: 's2', title: 'Rate limiter' }, files: [], lines };
  server.show({
    ...completeState(),
    integration: { ...integration(), base: { ahead: 0, clashes: [clash], unmerged: false } },
  });
  await page.goto(server.address());
  const places = page.locator('code', { hasText: 'likely:' });
  await places.first().waitFor();
  const [one, other] = [await places.nth(0).boundingBox(), await places.nth(1).boundingBox()];
  expect([one?.x, (other?.y ?? 0) >= (one?.y ?? 0) + (one?.height ?? 0)]).toEqual([other?.x, true]);
});

test('layers have the same names in the tabs Block and Context', async () => {
  await show(baseState());
  await find('ProposeFix');
  server.onMessage = ({ command, payload }) => {
    if (command !== 'requestContext') return;
    const context = contextOf(payload.block);
    // A host names the layers shorter.
    const layers = context.layers.map((layer) => ({ ...layer, name: `short ${layer.layer}` }));
    server.send({ command: 'context', payload: { ...context, layers } });
  };
  await page.getByRole('tab', { name: 'Context' }).click();
  await page.getByRole('heading', { name: '1 · Execution payload' }).waitFor();
});

test('a long name is shown in full under the pointer, also near', async () => {
  const state = baseState();
  const workflow = workflowOf(state);
  const long = 'ProposeAFixThatIsAsSmallAsItCanBe';
  const nodes = workflow.graph.nodes.map((node) => ({
    ...node,
    blocks: node.blocks.map((block) => (block.name === 'ProposeFix' ? { ...block, name: long } : block)),
  }));
  server.show({ ...state, workflow: { ...workflow, graph: { ...workflow.graph, nodes } } }, layout);
  await page.goto(server.address());
  await page.getByRole('treeitem', { name: new RegExp(`^${long}`) }).waitFor({ state: 'attached' });
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('+');
  await find(long);
  const card = page.locator('.card.near', { hasText: long });
  await card.hover();
  await expect.poll(() => page.locator('.surface').getAttribute('title')).toBe(long);
});

test('the attempts have a column for costs only if one is known', async () => {
  const state = haltedState();
  const workflow = workflowOf(state);
  const columns = (): Promise<readonly string[]> => page.locator('aside th').allInnerTexts();
  await show(state);
  await guidance().waitFor();
  expect(await columns()).toEqual(['Result', 'Visit', 'Try', 'Outcome', 'Time', 'Cost']);
  const attempts = haltView().attempts.map((attempt) => ({ ...attempt, microUsd: null }));
  server.show({ ...state, workflow: { ...workflow, halts: [{ ...haltView(), attempts }] } });
  await expect.poll(columns).toEqual(['Result', 'Visit', 'Try', 'Outcome', 'Time']);
});

test('in a browser, commands that help are shown to be copied, instead of a button that can not help', async () => {
  const first = { line: 41, column: 3, message: 'unknown target' };
  await show({ ...baseState(), problems: { errors: 3, warnings: 0, file: '.vision/workflows.json', first } });
  await page.locator('code', { hasText: 'robosmith validate' }).waitFor();
  expect(await page.getByRole('button', { name: 'Open Problems' }).count()).toBe(0);
  server.onMessage = ({ command, payload }) => {
    if (command !== 'pause') return;
    const refusal = { code: 'untrusted', message: 'This project is not trusted yet.', next: 'robosmith ui --trust' };
    server.send({ command: 'reply', payload: { request: payload.request, ok: false, refusal } });
  };
  await page.keyboard.press('F6');
  await page.locator('code', { hasText: 'robosmith ui --trust' }).waitFor();
});

test('the search closes as soon as something else is used, and by its button', async () => {
  await show(baseState());
  const search = page.getByRole('combobox', { name: 'Find block, node or signal' });
  await page.keyboard.press('/');
  await search.waitFor();
  await page.locator('.surface').click({ position: { x: 5, y: 600 } });
  await search.waitFor({ state: 'detached' });
  const button = page.getByRole('button', { name: 'Find' });
  await button.click();
  await search.waitFor();
  await button.click();
  await search.waitFor({ state: 'detached' });
});

test('all calls are shown by a button, and hidden again', async () => {
  await show(baseState());
  await page.locator('.card').first().waitFor();
  const calls = (): Promise<number> => page.locator('.calls > path').count();
  const before = await calls();
  const button = page.getByRole('button', { name: 'All calls' });
  await button.click();
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  await expect.poll(calls).toBeGreaterThan(before);
  await button.click();
  await expect.poll(calls).toBe(before);
});

test('the last part of the call stack stays legible in a narrow view', async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await show(baseState());
  const leaf = page.locator('.crumb.leaf');
  await leaf.waitFor();
  expect(await leaf.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await page.locator('.crumb').first().getAttribute('title')).toBe('Feature_Implement');
});

test('the timeline names the block under the pointer', async () => {
  await show(baseState());
  const slider = page.getByRole('slider', { name: 'Steps of the run' });
  const box = await slider.boundingBox();
  if (box === null) throw new Error('The timeline is not shown.');
  await page.mouse.move(box.x + box.width * 0.98, box.y + box.height / 2);
  await expect.poll(() => slider.getAttribute('title')).toBe('ProposeFix, visit 2, Running');
  await page.mouse.move(box.x + box.width * 0.24, box.y + box.height / 2);
  await expect.poll(() => slider.getAttribute('title')).toBe('ApprovePlan, visit 1, Complete');
});

test('in a narrow view the line about a past step and the table keep their shape', async () => {
  await page.setViewportSize({ width: 400, height: 800 });
  await show(baseState());
  await page.keyboard.press('[');
  const line = page.locator('.popup', { hasText: 'Showing step 13 of 13' });
  await line.waitFor();
  const [popup, zoom] = [await line.boundingBox(), await page.getByRole('group', { name: 'Zoom' }).boundingBox()];
  if (popup === null || zoom === null) throw new Error('The line or the buttons are not shown.');
  expect([popup.x >= 0, popup.x + popup.width <= 400, popup.y + popup.height <= zoom.y]).toEqual([true, true, true]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show as a table' }).click();
  const row = await page.locator('tr', { hasText: 'PlanChange' }).first().boundingBox();
  expect(row?.height).toBeLessThan(120);
});

/** Returns the payload of the last message with this command. */
const sent = (command: ViewToHost['command']): unknown =>
  server.received.findLast((message) => message.command === command)?.payload;

const idleState = (graph: Partial<ViewGraph>): ViewState => {
  const state = pendingState();
  const { workflow } = state;
  if (workflow === null) throw new Error('there is no workflow');
  return { ...state, workflow: { ...workflow, graph: { ...workflow.graph, ...graph } } };
};

const BUG = { name: 'bug', type: 'string', description: 'What is wrong', values: null, fallback: null } as const;
const LEVEL = { name: 'level', type: 'string', description: null, values: ['low', 'high'], fallback: 'low' } as const;

test('the title is the text for the first block, unless another one is entered', async () => {
  await show(pendingState());
  await page.getByRole('button', { name: 'New workflow' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Zebra');
  await page.getByRole('button', { name: 'Create and run' }).click();
  await expect.poll(() => sent('create')).toMatchObject({ title: 'Zebra', input: 'Zebra' });
  await page.getByRole('button', { name: 'New workflow' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Zebra');
  await page.getByRole('textbox', { name: /^Task/ }).fill('Say good night in Latin');
  await page.getByRole('button', { name: 'Create and run' }).click();
  await expect.poll(() => sent('create')).toMatchObject({ title: 'Zebra', input: 'Say good night in Latin' });
});

test('declared inputs are asked for by name, and "Run this workflow" asks where to start without an entry', async () => {
  await show(idleState({ entry: null, inputs: [BUG, LEVEL] }));
  await page.getByRole('button', { name: 'Run this workflow' }).click();
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await page.getByText('What is wrong').waitFor();
  expect(await run.getAttribute('title')).toContain('bug');
  await page.getByRole('textbox', { name: 'bug' }).fill('Login fails');
  expect(await run.getAttribute('title')).toContain('Choose the node');
  await page.getByLabel(/^level/).selectOption('high');
  await page.getByRole('button', { name: 'Choose a node' }).click();
  // A node is found by the name of one of its blocks.
  await page.getByRole('combobox', { name: 'Find node or block' }).fill('ProposeFix');
  await page.keyboard.press('Enter');
  await run.click();
  await expect
    .poll(() => sent('run'))
    .toMatchObject({
      start: { node: 'Test_Fix' },
      input: JSON.stringify({ bug: 'Login fails', level: 'high' }),
    });
});

test('what is written is sent to the host, comes back after a reload, and follows other views', async () => {
  const key = 'halt r1 h1';
  await show(haltedState());
  await guidance().fill('Use the clock port');
  await expect.poll(() => sent('draft')).toEqual({ key, text: 'Use the clock port' });
  server.patch({ kind: 'drafts', drafts: [{ key, text: 'Written elsewhere' }] });
  await expect.poll(() => guidance().inputValue()).toBe('Written elsewhere');
  server.show({ ...haltedState(), drafts: [{ key, text: 'Kept' }] });
  await page.reload();
  await guidance().waitFor();
  expect(await guidance().inputValue()).toBe('Kept');
});

test('a result without files leads with its answer, and merging is not the main action', async () => {
  const answer = { block: 'Test_Fix__ProposeFix', text: { text: 'Because of the cache.', more: null } };
  await open({ ...completeState(), integration: { ...integration(), files: [], answer } });
  await page.getByRole('region', { name: 'Answer' }).getByText('Because of the cache.').waitFor();
  expect(await page.getByLabel('Commit message').count()).toBe(0);
  expect(await page.locator('.button.primary').count()).toBe(0);
  server.patch({ kind: 'integration', integration: { ...integration(), answer } });
  await page.getByLabel('Commit message').waitFor();
  expect(await page.locator('.button.primary').innerText()).toContain('Accept and Merge Branch');
});

test('a refused merge is explained once, and only the shown work is merged', async () => {
  const message = 'main has changes in src/login.ts';
  const refusal = { verb: 'merge', code: 'refused', message, next: null, files: [] } as const;
  await open({
    ...completeState(),
    integration: { ...integration(), refusal, notes: [message], tree: 'b'.repeat(40) },
  });
  await page.getByText(message).waitFor();
  expect(await page.getByText(message).count()).toBe(1);
  await page.getByRole('button', { name: /Accept and Merge/ }).click();
  await expect.poll(() => sent('merge')).toMatchObject({ tree: 'b'.repeat(40) });
});

test('the first arrow key moves to another block, and a reload keeps the selection', async () => {
  await show(baseState());
  await find('ProposeFix');
  const selected = (): unknown => sent('select');
  await page.getByRole('treeitem', { name: /^ProposeFix/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(selected).not.toMatchObject({ block: 'Test_Fix__ProposeFix' });
  const { block } = selected() as { readonly block: string };
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('robosmith.view'))).toContain(block);
  await page.reload();
  await page.getByRole('heading', { name: new RegExp(`^${block.split('__')[1] ?? ''}`) }).waitFor();
});

test('what a run could not use is said above its graph', async () => {
  const state = baseState();
  const { workflow } = state;
  if (workflow?.run === null || workflow === null) throw new Error('there is no run');
  const warnings = ['the context slice Outline is incomplete: its query was not answered. get_file_outline: no server'];
  await show({ ...state, workflow: { ...workflow, run: { ...workflow.run, warnings } } });
  await page.getByText('The context slice Outline is incomplete').waitFor();
});

test('a shortcut on a button has the colour of the button, whatever VS Code sets for keys', async () => {
  await show(haltedState());
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('kbd { color: rgb(1, 2, 3); background-color: rgb(4, 5, 6); }');
    document.adoptedStyleSheets = [sheet];
  });
  const colours = await page
    .locator('kbd')
    .first()
    .evaluate((key) => {
      const own = getComputedStyle(key);
      return [own.color === getComputedStyle(key.parentElement ?? key).color, own.backgroundColor];
    });
  expect(colours).toEqual([true, 'rgba(0, 0, 0, 0)']);
});

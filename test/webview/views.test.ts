import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  BlockState,
  FileDifference,
  ViewGraph,
  ViewState,
  ViewToHost,
} from '../../src/protocol/generated/view.gen.ts';
import type { GraphLayout } from '../../src/protocol/layout.ts';
import { CHROMIUM_FLAGS, findChromium } from './find-chromium.ts';
import {
  hostileConversation,
  hostileContext,
  hostileFacts,
  hostileResult,
  hostileState,
  HOSTILE,
} from './hostile-fixture.ts';
import { placeGraph } from './place-graph.ts';
import {
  baseState,
  completeState,
  contextOf,
  conversationOf,
  factsOf,
  forkedState,
  haltedState,
  integration,
  NOW,
  pendingState,
} from './state-fixture.ts';
import { startViewServer, type ViewServer } from './view-server.ts';
import { largeGraph, workflowGraph } from './workflow-fixture.ts';

const place = findChromium();
const THEMES =
  process.env['ROBOSMITH_VIEW_THEMES'] === 'all'
    ? (['dark', 'light', 'high-contrast', 'high-contrast-light'] as const)
    : (['dark'] as const);
/** The folder for a screenshot of each view and state; undefined if none are saved. */
const PICTURES = process.env['ROBOSMITH_PICTURES'];
const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

declare global {
  var violations: string[];
  var axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}

let browser: Browser;
let server: ViewServer;
let layout: GraphLayout;
let page: Page;
const errors: string[] = [];

const answer = (message: ViewToHost): void => {
  if (message.command === 'requestBlock')
    server.send({ command: 'block', payload: factsOf(message.payload.block, message.payload.visit) });
  if (message.command === 'requestConversation')
    server.send({ command: 'conversation', payload: conversationOf(message.payload.block) });
  if (message.command === 'requestContext')
    server.send({ command: 'context', payload: contextOf(message.payload.block) });
};

beforeAll(async () => {
  if (place === null) return;
  browser = await chromium.launch({ executablePath: place, args: CHROMIUM_FLAGS });
  layout = await placeGraph(workflowGraph());
});
afterAll(() => browser?.close());
beforeEach(async (context) => {
  if (place === null) return context.skip();
  server = await startViewServer();
  server.onMessage = answer;
  errors.length = 0;
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page = await opened.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (event) =>
      violations.push(`${event.violatedDirective} ${event.sample}`),
    );
  });
  return async () => {
    await opened.close();
    await server.close();
  };
});

interface Shown {
  readonly state: ViewState;
  readonly theme?: string;
  readonly view?: 'mission-control' | 'chat' | 'context';
  readonly placed?: GraphLayout | null;
}

async function show({ state, theme = 'dark', view = 'mission-control', placed = layout }: Shown): Promise<void> {
  server.show(state, placed);
  await page.goto(server.address({ theme, view }));
  await page.locator('h1').waitFor({ state: 'attached' });
}

/** Selects a block through the search, as a user would. */
async function find(name: string): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Find block, node or signal' }).fill(name);
  await page.keyboard.press('Enter');
}

async function check(name: string): Promise<void> {
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }
  expect(await page.evaluate(() => violations)).toEqual([]);
  // Axe is injected by the test and is not part of the page, so the page's policy doesn't apply to it.
  await page.evaluate(AXE.concat('; undefined'));
  const found = await page.evaluate(() => axe.run());
  expect(
    found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
  ).toEqual([]);
  expect(errors).toEqual([]);
}

const near = async (): Promise<void> => {
  await page.getByRole('treeitem', { name: /^ProposeFix/ }).waitFor({ state: 'attached' });
  for (let press = 0; press < 4; press += 1) await page.keyboard.press('+');
  await find('ProposeFix');
  await page.getByRole('heading', { name: /^ProposeFix|^Action required/ }).waitFor();
};

const openTab = async (name: string): Promise<void> => {
  await page.getByRole('tab', { name }).click();
};

/** Sends a selection as if another view in the same window had made it. */
const selectElsewhere = (): Promise<void> => {
  server.send({ command: 'selected', payload: { run: 'r1', block: 'Test_Fix__ProposeFix', visit: null } });
  return Promise.resolve();
};

/** Sends the answer to `openDiff` of a host without an editor. */
async function sendDifference(difference: FileDifference): Promise<void> {
  await page.getByText('Changed files').waitFor();
  server.send({ command: 'diff', payload: difference });
  await page.getByRole('dialog').waitFor();
}

const showDifference = (): Promise<void> =>
  sendDifference({
    session: 's1',
    path: 'src/login.ts',
    from: null,
    omitted: 12,
    isBinary: false,
    hunks: [
      {
        before: 8,
        after: 8,
        lines: [' const token = read();', '-restore(token);', '+if (token.expired) throw late();'],
      },
      { before: 40, after: 41, lines: [' }', '+', '+// End', '\\ No newline at end of file'] },
    ],
  });

const showHostileDifference = (): Promise<void> =>
  sendDifference({
    session: 's1',
    path: HOSTILE.markup,
    from: HOSTILE.long,
    omitted: 0,
    isBinary: false,
    hunks: [{ before: 1, after: 1, lines: [`-${HOSTILE.markup}`, `+${HOSTILE.long}`, ` ${HOSTILE.text}`] }],
  });

interface Scene {
  readonly name: string;
  readonly state: () => ViewState;
  readonly act?: () => Promise<void>;
  readonly sees: string | RegExp;
  readonly view?: 'chat' | 'context';
}

const withWorkflow = (state: ViewState, change: Partial<NonNullable<ViewState['workflow']>>): ViewState => ({
  ...state,
  workflow: state.workflow === null ? null : { ...state.workflow, ...change },
});

const SCENES: readonly Scene[] = [
  { name: 'overview', state: baseState, act: () => find('ProposeFix'), sees: 'Running, visit 2, attempt 2' },
  { name: 'follow', state: baseState, act: near, sees: 'Running, visit 2, attempt 2' },
  {
    name: 'chat',
    state: baseState,
    act: async () => (await near(), openTab('Chat')),
    sees: 'The refresh path needs it too, not only signIn.',
  },
  { name: 'context', state: baseState, act: async () => (await near(), openTab('Context')), sees: /Execution payload/ },
  { name: 'halt', state: haltedState, act: near, sees: 'rejects an expired token' },
  {
    name: 'fork',
    state: forkedState,
    act: async () => {
      await page.getByRole('button', { name: '3 branches' }).click();
      // The trial click fails if something else covers the list.
      await page.getByRole('button', { name: /Review_Style › CompareNames/ }).click({ trial: true });
    },
    sees: /Review_Style › CompareNames/,
  },
  { name: 'pending', state: pendingState, sees: 'Run this workflow' },
  { name: 'past', state: baseState, act: async () => page.keyboard.press('['), sees: 'Showing step 13 of 13' },
  { name: 'run', state: baseState, sees: 'Spent by node' },
  {
    name: 'table',
    state: baseState,
    act: () => page.getByRole('button', { name: 'Show as a table' }).click(),
    sees: /CheckLicences/,
  },
  {
    name: 'find',
    state: baseState,
    act: async () => (await page.keyboard.press('/'), page.keyboard.type('review')),
    sees: /InspectInputs|JoinFindings|ReviewChange/,
  },
  {
    name: 'inbox',
    state: baseState,
    act: () => page.getByRole('button', { name: /Inbox/ }).click(),
    sees: 'Implement login',
  },
  {
    name: 'new-workflow',
    state: baseState,
    act: () => page.getByRole('button', { name: 'New workflow' }).click(),
    sees: 'Step by step',
  },
  {
    name: 'integration-answer',
    state: () => ({
      ...completeState(),
      integration: {
        ...integration(),
        files: [],
        answer: {
          block: 'Test_Fix__ProposeFix',
          text: { text: 'The login is slow because of the cache.', more: null },
        },
        controls: { ...integration().controls, merge: 'The branch changes no files: there is nothing to merge.' },
      },
    }),
    sees: 'The login is slow because of the cache.',
  },
  { name: 'integration', state: completeState, sees: 'main is 3 commits ahead. Nothing overlaps.' },
  {
    name: 'integration-busy',
    state: () => ({
      ...completeState(),
      integration: { ...integration(), busy: { verb: 'merge', step: 'running the tests', since: NOW } },
    }),
    sees: 'running the tests…',
  },
  {
    name: 'integration-refused',
    state: () => ({
      ...completeState(),
      integration: {
        ...integration(),
        base: {
          ahead: 1,
          clashes: [{ with: { session: 's2', title: 'Rate limiter' }, files: ['src/login.ts'], lines: [] }],
          unmerged: false,
        },
        refusal: {
          verb: 'merge',
          code: 'conflict',
          message: 'The base has changed the same lines.',
          next: 'Update from base first.',
          files: ['src/login.ts'],
        },
      },
    }),
    sees: 'Nothing was changed.',
  },
  {
    name: 'integration-discard',
    state: completeState,
    act: () => page.getByRole('button', { name: /Discard Branch/ }).click(),
    sees: 'Discard Implement login?',
  },
  {
    name: 'integration-held',
    state: () => ({ ...completeState(), integration: { ...integration(), state: 'held' } }),
    sees: '▶️ Resume Session',
  },
  { name: 'difference', state: completeState, act: showDifference, sees: 'token.expired' },
  { name: 'hostile-difference', state: completeState, act: showHostileDifference, sees: '<img src=x onerror=' },
  {
    name: 'no-workflow',
    state: () => ({ ...baseState(), workflow: null, open: null, sessions: [], inbox: [] }),
    sees: 'No workflow in this project yet.',
  },
  { name: 'hostile-result', state: hostileResult, sees: 'Nothing was changed.' },
  {
    name: 'manifest-errors',
    state: () => ({
      ...baseState(),
      problems: {
        errors: 3,
        warnings: 0,
        file: '.vision/workflows.json',
        first: { line: 41, column: 3, message: 'unknown target' },
      },
    }),
    sees: '3 errors in workflows.json, first: line 41, unknown target',
  },
  {
    name: 'engine-gone',
    state: () => ({ ...baseState(), engine: { kind: 'lost', since: NOW - 12_000 } }),
    sees: /Connection lost 1\d s ago, trying again\./,
  },
  {
    name: 'queued',
    state: () => ({ ...pendingState(), open: 's3' }),
    sees: 'Waits for Implement login: both change src/login.ts.',
  },
  {
    name: 'failed',
    state: () => {
      const state = baseState();
      const run = state.workflow?.run;
      return withWorkflow(state, {
        frames: [],
        run:
          run === undefined || run === null
            ? null
            : { ...run, status: 'failed', why: 'The budget is used up.', next: 'robosmith resume r1', endedAt: NOW },
      });
    },
    sees: 'The budget is used up.',
  },
  {
    name: 'panel-chat',
    view: 'chat',
    state: baseState,
    act: selectElsewhere,
    sees: 'The refresh path needs it too, not only signIn.',
  },
  { name: 'panel-context', view: 'context', state: baseState, act: selectElsewhere, sees: /Execution payload/ },
];

const FAR_STATUS = ['complete', 'complete', 'complete', 'failed', 'skipped', 'active', 'halted'] as const;

/** Returns a state for each block of every third node, so that the far view shows each status. */
const farBlocks = (graph: ViewGraph): BlockState[] =>
  graph.nodes
    .filter((_, index) => index % 3 === 0)
    .flatMap(({ blocks }) =>
      blocks.map((block, index): BlockState => ({
        block: block.id,
        status: FAR_STATUS[index % FAR_STATUS.length] ?? 'complete',
        visits: 1,
        attempt: 1,
        since: NOW,
        durationMs: 5,
        waitsFor: [],
        heads: 0,
        progress: null,
      })),
    );

describe.each(THEMES)('in %s', (theme) => {
  test.each(SCENES)('$name is shown, accessible, and within its policy', async ({ name, state, act, sees, view }) => {
    await show({ state: state(), theme, ...(view === undefined ? {} : { view }) });
    if (view === undefined) await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
    else await page.getByText('Select a block').waitFor();
    await act?.();
    await page.getByText(sees).first().waitFor();
    await check(`${name}-${theme}`);
  });

  test('500 blocks are drawn from afar', async () => {
    const graph = largeGraph(500);
    await show({
      state: withWorkflow(baseState(), { graph, frames: [], visits: [], rows: [], blocks: farBlocks(graph) }),
      theme,
      placed: await placeGraph(graph),
    });
    await page.locator('.surface canvas').waitFor();
    expect(await page.locator('.card').count()).toBe(0);
    await check(`far-${theme}`);
  });

  test('text of twice the size stays in its place', async () => {
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => document.body.style.setProperty('--vscode-font-size', '26px'));
    });
    await show({ state: haltedState(), theme });
    await page.getByText('rejects an expired token').waitFor();
    const reach = await page.evaluate(() => [document.body.scrollWidth, document.body.scrollHeight]);
    expect(reach).toEqual([1280, 800]);
    await check(`large-text-${theme}`);
  });

  test('hostile names and texts are shown as text', async () => {
    const state = hostileState();
    server.onMessage = (message) => {
      if (message.command === 'requestBlock')
        server.send({ command: 'block', payload: hostileFacts(message.payload.block) });
      if (message.command === 'requestConversation')
        server.send({ command: 'conversation', payload: hostileConversation(message.payload.block) });
      if (message.command === 'requestContext')
        server.send({ command: 'context', payload: hostileContext(message.payload.block) });
    };
    await show({ state, theme, placed: await placeGraph(state.workflow?.graph ?? workflowGraph()) });
    await page.getByText('Action required').first().waitFor();
    await page.getByRole('button', { name: 'Show block, chat and context' }).click();
    for (const name of ['Chat', 'Context', 'Block']) {
      await openTab(name);
      await page.getByRole('tabpanel').waitFor();
      expect(
        await page.evaluate(
          () => document.querySelectorAll('img, iframe, script:not([nonce]), object, a[href]').length,
        ),
      ).toBe(0);
    }
    await openTab('Chat');
    await page.getByText('<img src=x onerror=').first().waitFor();
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    expect(
      await page.evaluate((texts) => texts.filter((text) => document.body.innerText.includes(text)), HOSTILE.hidden),
    ).toEqual([]);
    await check(`hostile-${theme}`);
  });
});

test('ten megabytes of text do not stop the page', async () => {
  const huge = '<b>x</b>\u001b[31m'.repeat(800_000);
  server.onMessage = (message) => {
    if (message.command === 'requestBlock')
      server.send({
        command: 'block',
        payload: { ...factsOf(message.payload.block, 1), answer: { text: huge, more: null }, streaming: false },
      });
  };
  await show({ state: baseState() });
  await find('ProposeFix');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: /^Show more \(\d+ characters left\)$/ }).click();
  const shown = await page.evaluate(() => document.querySelector('.answer')?.textContent?.length ?? 0);
  expect(shown).toBeGreaterThan(200_000);
  expect(shown).toBeLessThan(250_000);
  await page.keyboard.press('Escape');
  await page.getByText('Spent by node').waitFor();
});

test('a halt is answered by keyboard alone: found, read, guided, retried', async () => {
  await show({ state: haltedState() });
  await page.getByRole('treeitem', { name: /^ProposeFix/ }).waitFor({ state: 'attached' });
  await page.keyboard.press('h');
  await page.getByLabel('What should the next attempt do differently?').waitFor();
  await page.waitForFunction(() => document.activeElement?.matches('[data-guidance]') === true);
  await page.keyboard.type('Check exp before you restore the session.');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => server.received.at(-1)?.command).toBe('answer');
  const last = server.received.at(-1);
  expect(last?.payload).toEqual({
    request: expect.any(String) as string,
    run: 'r1',
    halt: 'h1',
    answer: { verb: 'retry', guidance: 'Check exp before you restore the session.' },
  });
});

test('the graph is walked with arrows, folded with the space bar, and keeps its focus from afar', async () => {
  await show({ state: baseState() });
  await page.getByRole('treeitem', { name: /^ReadTask/ }).waitFor({ state: 'attached' });
  await find('ReadTask');
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
  await expect.poll(focused).toBe('ReadTask, Built-in, Complete, visit 2');
  await page.keyboard.press('ArrowRight');
  await expect.poll(focused).toBe('PlanChange, AI worker, Complete, visit 2');
  await page.keyboard.press(' ');
  await expect.poll(focused).toBe('Feature_Implement, 4 of 10 blocks complete, depth 0');
  await page.keyboard.press(' ');
  for (let press = 0; press < 8; press += 1) await page.keyboard.press('-');
  await page.locator('.surface canvas').waitFor();
  await page.keyboard.press('ArrowRight');
  await expect.poll(focused).toBe('ApprovePlan, Person, Complete');
});

test('tab goes from the ticker over the bar and the graph to the inspector and the timeline', async () => {
  await show({ state: baseState() });
  await page.getByRole('treeitem', { name: /^ReadTask/ }).waitFor({ state: 'attached' });
  await find('ProposeFix');
  await page.getByRole('heading', { name: /^ProposeFix/ }).waitFor();
  await page.getByRole('tab', { name: /Implement login/ }).focus();
  const seen: string[] = ['.ticker'];
  for (let press = 0; press < 30; press += 1) {
    await page.keyboard.press('Tab');
    const part = await page.evaluate(() => {
      const parts = ['.ticker', '.bar', '[role="tree"]', '.splitter', 'aside', '.timeline'];
      return parts.find((one) => document.activeElement?.closest(one) !== null) ?? null;
    });
    if (part !== null && seen.at(-1) !== part) seen.push(part);
    if (part === '.timeline') break;
  }
  expect(seen).toEqual(['.ticker', '.bar', '[role="tree"]', '.splitter', 'aside', '.timeline']);
});

test('the timeline shows a past step, and End goes live', async () => {
  await show({ state: baseState() });
  const slider = page.getByRole('slider', { name: 'Steps of the run' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('Showing step 1 of 13').waitFor();
  expect(await slider.getAttribute('aria-valuetext')).toBe('step 1 of 13, ReadTask');
  await expect
    .poll(() => page.getByRole('treeitem', { name: /^PlanChange/ }).getAttribute('aria-label'))
    .toBe('PlanChange, AI worker, Running');
  expect(await page.getByRole('button', { name: 'Stop' }).getAttribute('title')).toBe(
    'Go live first: a past step is shown.',
  );
  await page.keyboard.press('End');
  await page.getByText('Showing step').waitFor({ state: 'detached' });
  await expect
    .poll(() => page.getByRole('treeitem', { name: /^PlanChange/ }).getAttribute('aria-label'))
    .toBe('PlanChange, AI worker, Complete, visit 2');
});

test('an event changes one card', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  await page.evaluate(() => {
    const changed = new Set<Element>();
    new MutationObserver((records) => {
      for (const { target } of records) {
        const card = (target instanceof Element ? target : target.parentElement)?.closest('.card');
        if (card !== null && card !== undefined) changed.add(card);
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    Object.assign(globalThis, { changed });
  });
  server.patch({
    kind: 'blocks',
    blocks: [
      {
        block: 'Lint_Fix__RunLint',
        status: 'complete',
        visits: 1,
        attempt: 1,
        since: NOW,
        durationMs: 5,
        waitsFor: [],
        heads: 0,
        progress: null,
      },
    ],
  });
  await expect
    .poll(() => page.getByRole('treeitem', { name: /^RunLint/ }).getAttribute('aria-label'))
    .toBe('RunLint, Command, Complete');
  const names = await page.evaluate(() =>
    [...(globalThis as unknown as { changed: Set<Element> }).changed].map((card) => card.textContent?.trim().slice(-7)),
  );
  expect(names).toEqual(['RunLint']);
});

test('a gap in the numbers makes the view ask for a snapshot', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  const asked = (): number => server.received.filter(({ command }) => command === 'requestSnapshot').length;
  server.send({
    command: 'patch',
    payload: { epoch: Date.now() + 60_000, seq: 7, changes: [{ kind: 'inbox', inbox: [] }] },
  });
  await expect.poll(asked).toBe(1);
});

test('a malformed or unknown message is logged and ignored', async () => {
  const warnings: string[] = [];
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  server.send({ command: 'format', payload: {} } as never);
  server.send({ command: 'patch', payload: { epoch: 1, seq: 'x', changes: [] } } as never);
  await expect
    .poll(() => warnings)
    .toEqual([
      'RoboSmith ignored a message: unknown command "format"',
      'RoboSmith ignored a message: patch: payload.seq must be integer',
    ]);
  expect(await page.locator('.card').count()).toBeGreaterThan(10);
});

test('a lost connection is shown and comes back', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  server.disconnect();
  await page.getByText(/Connection lost/).waitFor();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
});

test('a lost server is shown with what to do, what was seen stays, and the page comes back by itself', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  /** Returns the positions of the cards, each with that of its lane, which identify them. */
  const places = (): Promise<readonly string[]> =>
    page.locator('.card').evaluateAll((cards) =>
      cards.map((card) => {
        const lane = card.parentElement?.closest<HTMLElement>('[style*="transform"]');
        return `${lane?.style.transform ?? ''} ${(card as HTMLElement).style.transform}`;
      }),
    );
  const seen = await places();
  await server.goOffline();
  const banner = page.getByRole('status').filter({ hasText: 'Connection lost' });
  await banner.getByText('If you have ended robosmith ui, start it again and open the URL it prints.').waitFor();
  await banner.getByRole('button', { name: 'Retry now' }).click();
  // Cards that are farther away may be added meanwhile.
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(10);
  expect(await places()).toEqual(expect.arrayContaining([...seen]));
  expect(await page.getByRole('button', { name: 'Stop' }).getAttribute('title')).toBe(
    'The connection to the engine is lost.',
  );
  // Components that are not needed for the first picture are available as well.
  await find('ReadTask');
  await page.getByRole('heading', { name: /^ReadTask/ }).waitFor();
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, 'lost-server.png') });
  await server.goOnline();
  await banner.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Stop' }).getAttribute('aria-disabled')).toBe('false');
});

test('a part of the page that can not be loaded says so', async () => {
  await page.route('**/view-more.js', (route) => route.abort());
  await show({ state: baseState() });
  await page.keyboard.press('/');
  await page.getByRole('alert').filter({ hasText: 'A part of this page could not be loaded.' }).first().waitFor();
});

test('each button of the result sends its order', async () => {
  await show({ state: completeState() });
  await page.getByRole('button', { name: /Accept and Merge/ }).click();
  await page.getByRole('button', { name: /Hold Branch/ }).click();
  await page.getByRole('button', { name: /Open Terminal/ }).click();
  await page.getByRole('button', { name: 'Update from base' }).click();
  await page.getByRole('button', { name: /pull request…/ }).click();
  await page.getByRole('button', { name: 'Push and open a pull request' }).click();
  await page.getByRole('button', { name: /Discard Branch/ }).click();
  await page.getByRole('button', { name: 'Discard branch', exact: true }).click();
  await page.getByRole('option', { name: /src\/session.ts/ }).click();
  const orders = (): unknown[] =>
    server.received
      .filter(({ payload }) => 'request' in payload)
      .map(({ command, payload }) => [command, { ...payload, request: '' }]);
  await expect.poll(() => orders().length).toBe(7);
  const session = 's1';
  const request = '';
  expect(orders()).toEqual([
    [
      'merge',
      { request, session, message: integration().message, strategy: null, verify: false, tree: integration().tree },
    ],
    ['hold', { request, session, release: false }],
    ['openTerminal', { request, session }],
    ['update', { request, session, abort: false }],
    ['push', { request, session, pr: true }],
    ['discard', { request, session, force: true, confirmed: true }],
    ['openDiff', { request, session, path: 'src/session.ts' }],
  ]);
});

test('a discarded branch can be restored from where it was discarded', async () => {
  server.onMessage = (message) => {
    answer(message);
    if (message.command === 'discard')
      server.send({ command: 'reply', payload: { request: message.payload.request, ok: true, message: null } });
  };
  await show({ state: completeState() });
  await page.getByRole('button', { name: /Discard Branch/ }).click();
  await page.getByRole('button', { name: 'Discard branch', exact: true }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect.poll(() => server.received.at(-1)?.command).toBe('restore');
  expect(server.received.at(-1)?.payload).toMatchObject({ session: 's1' });
});

test('a result that comes with a later snapshot of the same session is shown', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  server.show({ ...completeState(), integration: { ...integration(), state: 'held' } });
  await page.getByRole('heading', { name: 'Implement login is held' }).waitFor();
});

test('a difference is read and closed by keyboard, and its lines have numbers', async () => {
  await show({ state: completeState() });
  await showDifference();
  await page.getByRole('dialog', { name: 'src/login.ts' }).waitFor();
  const numbers = await page
    .locator('dialog .line')
    .evaluateAll((lines) => lines.map((line) => [...line.querySelectorAll('.number')].map((cell) => cell.textContent)));
  expect(numbers).toEqual([
    ...[
      ['8', '8'],
      ['9', ''],
      ['', '9'],
      ['40', '41'],
      ['', '42'],
      ['', '43'],
      ['', ''],
    ],
  ]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('an answer grows while it is written, and is requested again when it begins again', async () => {
  await show({ state: baseState() });
  await near();
  const [run, block, visit, attempt] = ['r1', 'Test_Fix__ProposeFix', 2, 2] as const;
  const { answer: written } = factsOf(block, visit);
  const piece = (offset: number, text: string): void =>
    server.send({ command: 'stream', payload: { run, block, visit, attempt, offset, text } });
  await page.getByText('streaming', { exact: true }).waitFor();
  piece(written?.text.length ?? 0, ' and the rest of it.');
  await page.getByText('and the rest of it.').waitFor();
  const asked = (): number => server.received.filter(({ command }) => command === 'requestBlock').length;
  const before = asked();
  piece(0, 'Again.');
  await expect.poll(asked).toBe(before + 1);
  await page.getByText('and the rest of it.').waitFor({ state: 'detached' });
});

/** Answers requests about a block with facts of a visit that changed these files. */
const answerWithFiles = (message: ViewToHost): void => {
  if (message.command !== 'requestBlock') return answer(message);
  const facts = factsOf(message.payload.block, 2);
  server.send({ command: 'block', payload: { ...facts, files: integration().files.slice(0, 4) } });
};

test('the files that a block changed are listed, changed symbols first, and one opens as the change of that block', async () => {
  server.onMessage = answerWithFiles;
  await show({ state: baseState() });
  await near();
  const files = page.getByRole('listbox', { name: 'Changed files' });
  expect(await files.getByRole('option').allInnerTexts()).toEqual([
    expect.stringContaining('login.ts'),
    expect.stringContaining('session.ts'),
    expect.stringContaining('token-check.ts'),
    expect.stringContaining('login.test.ts'),
  ]);
  await files.getByRole('option', { name: /src\/session.ts/ }).click();
  await expect.poll(() => server.received.at(-1)?.command).toBe('openChanges');
  const of = { session: 's1', run: 'r1', block: 'Test_Fix__ProposeFix', visit: 2 };
  expect(server.received.at(-1)?.payload).toMatchObject({ ...of, path: 'src/session.ts' });
  // Only an editor can show several diffs at once.
  expect(await page.getByRole('button', { name: 'Compare all' }).count()).toBe(0);
  await check('block-files');
});

test('a refused order says why and what to do next', async () => {
  server.onMessage = (message) => {
    answer(message);
    if (message.command === 'pause')
      server.send({
        command: 'reply',
        payload: {
          request: message.payload.request,
          ok: false,
          refusal: { code: 'run_ended', message: 'The run has ended.', next: 'Start another one.' },
        },
      });
  };
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  await page.keyboard.press('F6');
  await page.getByRole('alert').filter({ hasText: 'The run has ended. Start another one.' }).waitFor();
});

test.each([
  [1280, 'beside'],
  [860, 'below'],
  [560, 'a view of its own'],
] as const)('at %i pixels the inspector is %s', async (width, where) => {
  await page.setViewportSize({ width, height: 800 });
  await show({ state: baseState() });
  await page.getByRole('treeitem', { name: /^ReadTask/ }).waitFor({ state: 'attached' });
  const graph = await page.locator('.graph').boundingBox();
  const aside = await page.locator('aside').boundingBox();
  const found = aside === null ? 'a view of its own' : aside.x > (graph?.x ?? 0) + 100 ? 'beside' : 'below';
  expect(found).toBe(where);
  if (where !== 'a view of its own') return;
  await find('ProposeFix');
  await page.getByRole('button', { name: 'Inspect ProposeFix' }).click();
  await page.getByText('Running, visit 2, attempt 2').waitFor();
  await page.getByRole('button', { name: 'Back to the graph' }).click();
  await page.locator('.graph').waitFor();
});

test('the place in the graph is kept when the page is loaded again', async () => {
  await show({ state: baseState() });
  await page.locator('.card').first().waitFor();
  const percent = (): Promise<string | null> => page.locator('.percent').textContent();
  const before = await percent();
  await page.keyboard.press('+');
  await expect.poll(percent).not.toBe(before);
  const zoomed = await percent();
  await find('ReadTask');
  await page.keyboard.press('Space');
  await page.getByRole('treeitem', { name: /^ReadTask/ }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => sessionStorage.getItem('robosmith.view')?.includes('Feature_Implement') === true);
  await page.reload();
  await page.locator('.lane.folded').waitFor();
  expect(await percent()).toBe(zoomed);
});

/** Opens the view as in VS Code. Returns the messages that it has posted. */
async function showInEditor(): Promise<() => Promise<ViewToHost[]>> {
  await page.addInitScript(() => {
    const posted: unknown[] = [];
    Object.assign(globalThis, {
      posted,
      acquireVsCodeApi: () => ({
        postMessage: (message: unknown) => posted.push(message),
        getState: () => ({ inspectorWidth: 400 }),
        setState: () => undefined,
      }),
    });
    document.addEventListener('DOMContentLoaded', () => document.body.classList.add('vscode-dark'));
  });
  await page.goto(server.address());
  return () => page.evaluate(() => (globalThis as unknown as { posted: ViewToHost[] }).posted);
}

test('in VS Code all changes of a block are opened at once', async () => {
  const posted = await showInEditor();
  const post = (command: string, payload: unknown): Promise<void> =>
    page.evaluate((message) => postMessage(message), { protocol: 1, command, payload });
  await expect.poll(async () => (await posted()).length).toBe(1);
  await post('snapshot', { epoch: 1, seq: 1, state: baseState() });
  await page.getByRole('heading', { name: /Mission Control/ }).waitFor({ state: 'attached' });
  await post('selected', { run: 'r1', block: 'Test_Fix__ProposeFix', visit: null });
  await post('block', { ...factsOf('Test_Fix__ProposeFix', 2), files: integration().files });
  await page.getByRole('button', { name: 'Compare all' }).click();
  const of = { session: 's1', run: 'r1', block: 'Test_Fix__ProposeFix', visit: 2 };
  expect((await posted()).at(-1)).toMatchObject({ command: 'openChanges', payload: { ...of, path: null } });
});

test('in VS Code the view talks by postMessage, and leaves confirmations to the editor', async () => {
  const posted = await showInEditor();
  await expect.poll(posted).toEqual([{ protocol: 1, command: 'ready', payload: { view: 'mission-control' } }]);
  await page.evaluate(
    (state) => postMessage({ protocol: 1, command: 'snapshot', payload: { epoch: 1, seq: 1, state } }),
    completeState(),
  );
  await page.getByRole('button', { name: /Discard Branch/ }).click();
  await expect
    .poll(async () => (await posted()).at(-1))
    .toMatchObject({
      command: 'discard',
      payload: { session: 's1', force: false, confirmed: false },
    });
  expect(await page.locator('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Show the graph' }).click();
  await expect
    .poll(() => page.getByRole('separator', { name: 'Width of the inspector' }).getAttribute('aria-valuenow'))
    .toBe('400');
  expect((await posted()).map(({ command }) => command)).toContain('requestLayout');
  expect(await page.evaluate(() => violations)).toEqual([]);
});

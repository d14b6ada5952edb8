import type {
  BlockContext,
  BlockFacts,
  BlockState,
  Controls,
  Conversation,
  HaltView,
  IntegrationState,
  RowState,
  SessionTab,
  Spending,
  ViewFrame,
  ViewState,
  Visit,
  WorkflowViewState,
} from '../../src/protocol/generated/view.gen.ts';
import { workflowGraph } from './workflow-fixture.ts';

export const NOW = 1_790_000_000_000;
const START = NOW - 182_000;
const FREE: Controls = {
  run: 'A run is in progress.',
  step: null,
  pause: null,
  stop: null,
  resume: 'The run is not paused.',
  fork: null,
};
const NOTHING: Spending = { input: 0, output: 0, microUsd: 0, atLeast: false };

/** The steps of the run: node, block, row, seconds, depth and signal. */
const PATH = [
  ['Feature_Implement', 'ReadTask', 0, 0.8, 0],
  ['Feature_Implement', 'PlanChange', 1, 14.5, 0],
  ['Feature_Implement', 'ReadTask', 0, 1, 0],
  ['Feature_Implement', 'PlanChange', 0, 17, 0],
  ['Feature_Implement', 'ApprovePlan', 0, 22, 0],
  ['Feature_Implement', 'GenerateCode', 0, 41, 0],
  ['Feature_Implement', 'WriteFiles', 0, 2, 0],
  ['Test_Fix', 'RunTests', 1, 19.5, 1],
  ['Test_Fix', 'ReadFailures', 0, 1, 1],
  ['Test_Fix', 'ProposeFix', 0, 23, 1],
  ['Test_Fix', 'ApplyFix', 0, 2, 1],
  ['Test_Fix', 'RunTests', 1, 18, 1],
  ['Test_Fix', 'ReadFailures', 0, 1, 1],
] as const;

interface Played {
  readonly visits: readonly Visit[];
  readonly rows: readonly RowState[];
  readonly blocks: readonly BlockState[];
}

const CALLER = 'Feature_Implement__WriteFiles';

/** Computes the run's state after the steps of PATH, up to the block that is executing. */
function play(): Played {
  const graph = workflowGraph();
  const visits: Visit[] = [];
  const counts = new Map<string, number>();
  const rows = new Map<string, RowState>();
  let at = START;
  for (const [index, [node, name, row, seconds, depth]] of PATH.entries()) {
    const block = `${node}__${name}`;
    const visit = (counts.get(block) ?? 0) + 1;
    counts.set(block, visit);
    const signal =
      graph.nodes.find(({ id }) => id === node)?.blocks.find(({ id }) => id === block)?.rows[row]?.signal ?? '';
    const to = at + seconds * 1000;
    const calls = block === CALLER;
    visits.push({
      id: `${block}#${visit}`,
      step: index + 1,
      frame: depth === 0 ? '/' : `/${CALLER}#1`,
      depth,
      block,
      visit,
      attempts: 1,
      status: 'complete',
      from: at,
      to,
      waits: name === 'ApprovePlan' ? [{ from: at + 3000, to: to - 1000 }] : [],
      signal,
      row,
      calls: false,
      spending: { input: 3000, output: 700, microUsd: 20_000, atLeast: false },
    });
    const key = `${block} ${row}`;
    rows.set(key, { block, row, count: (rows.get(key)?.count ?? 0) + 1, lastStep: index + 1 });
    at = to;
    if (calls)
      visits.push({
        ...(visits.at(-1) as Visit),
        id: `${CALLER}#1 waits`,
        step: null,
        status: 'active',
        from: to,
        to: null,
        calls: true,
      });
  }
  visits.push({
    id: 'Test_Fix__ProposeFix#2',
    step: null,
    frame: `/${CALLER}#1`,
    depth: 1,
    block: 'Test_Fix__ProposeFix',
    visit: 2,
    attempts: 2,
    status: 'active',
    from: NOW - 12_400,
    to: null,
    waits: [],
    signal: null,
    row: null,
    calls: false,
    spending: { input: 18_800, output: 1100, microUsd: 50_000, atLeast: false },
  });
  const blocks = [...counts].map(([block, times]): BlockState => {
    const last = visits.findLast((visit) => visit.block === block && visit.to !== null);
    return {
      block,
      status: 'complete',
      visits: times,
      attempt: 1,
      since: last?.from ?? null,
      durationMs: last === undefined || last.to === null ? null : Math.round(last.to - last.from),
      waitsFor: [],
      heads: 0,
      progress: null,
    };
  });
  const set = (state: BlockState): void => {
    const index = blocks.findIndex(({ block }) => block === state.block);
    if (index === -1) blocks.push(state);
    else blocks[index] = state;
  };
  set({
    block: CALLER,
    status: 'active',
    visits: 1,
    attempt: 1,
    since: START,
    durationMs: null,
    waitsFor: ['Test_Fix'],
    heads: 1,
    progress: null,
  });
  set({
    block: 'Test_Fix__ProposeFix',
    status: 'active',
    visits: 2,
    attempt: 2,
    since: NOW - 12_400,
    durationMs: null,
    waitsFor: [],
    heads: 1,
    progress: null,
  });
  return { visits, rows: [...rows.values()], blocks };
}

const FRAMES: readonly ViewFrame[] = [
  {
    frame: '/',
    parent: null,
    depth: 0,
    node: 'Feature_Implement',
    block: CALLER,
    visit: 1,
    branch: null,
    status: 'active',
  },
  {
    frame: `/${CALLER}#1`,
    parent: '/',
    depth: 1,
    node: 'Test_Fix',
    block: 'Test_Fix__ProposeFix',
    visit: 2,
    branch: null,
    status: 'active',
  },
];

/** Returns the state of Mission Control in the middle of a run. */
export function runningWorkflow(): WorkflowViewState {
  const { visits, rows, blocks } = play();
  return {
    source: '.vision/workflows.json',
    graph: workflowGraph(),
    layout: { status: 'ready', blocks: 54, message: null },
    run: {
      run: 'r1',
      status: 'running',
      entry: 'Feature_Implement',
      stepMode: false,
      startedAt: START,
      endedAt: null,
      why: null,
      next: null,
      forkedFrom: null,
      steps: 13,
      warnings: [],
    },
    controls: FREE,
    blocks: [...blocks],
    rows: [...rows],
    frames: [...FRAMES],
    lastTransition: {
      step: 13,
      block: 'Test_Fix__ReadFailures',
      row: 0,
      signal: 'SUCCESS',
      to: 'Test_Fix__ProposeFix',
      at: NOW - 12_400,
    },
    visits: [...visits],
    earlierVisits: 0,
    halts: [],
    totals: {
      spending: { input: 52_300, output: 9100, microUsd: 380_000, atLeast: false },
      budgetMicroUsd: 2_000_000,
      elapsedMs: 182_000,
      at: NOW,
      ticking: false,
    },
    nodes: [
      {
        node: 'Feature_Implement',
        visits: 7,
        durationMs: 98_300,
        spending: { input: 31_000, output: 6100, microUsd: 240_000, atLeast: false },
      },
      {
        node: 'Test_Fix',
        visits: 7,
        durationMs: 76_900,
        spending: { input: 21_300, output: 3000, microUsd: 140_000, atLeast: false },
      },
    ],
  };
}

const tab = (key: string, title: string, more: Partial<SessionTab>): SessionTab => ({
  key,
  session: key,
  run: `r-${key}`,
  title,
  state: 'running',
  health: { colour: 'green', reason: 'clean' },
  overlap: 'Clear',
  queue: 'running',
  order: null,
  waits: null,
  clashes: [],
  branch: `robosmith/${key}`,
  baseBranch: 'main',
  hasWorktree: true,
  needsPerson: false,
  why: null,
  ...more,
});

export const sessions = (): SessionTab[] => [
  tab('s1', 'Implement login', {}),
  tab('s2', 'Rate limiter', {}),
  tab('s3', 'Move to ESM', {
    state: 'queued',
    queue: 'queued',
    order: 'FIFO #2',
    overlap: 'Clash',
    waits: { why: 'clash', for: [{ session: 's1', title: 'Implement login' }], files: ['src/login.ts'] },
  }),
  tab('s4', 'Fix flaky e2e', { state: 'ready', queue: 'complete' }),
];

export const baseState = (): ViewState => ({
  time: NOW,
  project: 'shop',
  engine: { kind: 'connected' },
  sessions: sessions(),
  drafts: [],
  inbox: [
    {
      key: 'i1',
      kind: 'halt',
      session: 's1',
      run: 'r1',
      halt: 'h1',
      block: 'Test_Fix__ProposeFix',
      title: 'Implement login',
      text: 'ProposeFix answered FAILURE, which halts here.',
      since: NOW - 60_000,
      commands: ['robosmith answer r1 h1 retry'],
    },
    {
      key: 'i2',
      kind: 'session',
      session: 's4',
      run: 'r-s4',
      halt: null,
      block: null,
      title: 'Fix flaky e2e',
      text: 'It is complete: merge, hold or discard its branch.',
      since: NOW - 3_600_000,
      commands: ['robosmith session merge s4'],
    },
  ],
  problems: null,
  open: 's1',
  workflow: runningWorkflow(),
  integration: null,
});

export function haltView(): HaltView {
  return {
    halt: 'h1',
    run: 'r1',
    block: 'Test_Fix__ProposeFix',
    frame: `/${CALLER}#1`,
    why: 'flagged',
    message: 'ProposeFix answered FAILURE, which halts here. 2 of 48 tests still fail.',
    since: NOW - 60_000,
    until: null,
    verbs: ['retry', 'next', 'jump', 'abort'],
    next: 'WidenSlice',
    failures: [
      {
        kind: 'test',
        name: 'rejects an expired token',
        message: 'expected 401, got 200',
        file: 'test/login.test.ts',
        line: 41,
      },
      {
        kind: 'test',
        name: 'keeps the session after refresh',
        message: 'TypeError: cannot read "exp" of undefined',
        file: 'test/session.test.ts',
        line: 88,
      },
    ],
    failuresOf: null,
    raw: null,
    attempts: [
      { visit: 1, attempt: 1, outcome: 'SUCCESS', kind: 'ok', durationMs: 23_000, microUsd: 60_000 },
      { visit: 2, attempt: 1, outcome: 'timed out, retried', kind: 'retried', durationMs: 19_000, microUsd: 40_000 },
      { visit: 2, attempt: 2, outcome: 'FAILURE', kind: 'halted', durationMs: 12_400, microUsd: 50_000 },
    ],
    files: [],
  };
}

/** Returns a state in which the run waits for a person. */
export function haltedState(): ViewState {
  const state = baseState();
  const workflow = runningWorkflow();
  const block = 'Test_Fix__ProposeFix';
  return {
    ...state,
    sessions: state.sessions.map((one) =>
      one.key === 's1' ? { ...one, state: 'halted', queue: 'halted', needsPerson: true } : one,
    ),
    workflow: {
      ...workflow,
      run: workflow.run === null ? null : { ...workflow.run, status: 'halted' },
      blocks: workflow.blocks.map((one) => (one.block === block ? { ...one, status: 'halted' } : one)),
      rows: [...workflow.rows, { block, row: 2, count: 1, lastStep: 14 }],
      frames: workflow.frames.map((frame) => (frame.depth === 1 ? { ...frame, status: 'halted' } : frame)),
      visits: workflow.visits.map((visit) =>
        visit.block === block && visit.to === null ? { ...visit, status: 'halted', signal: 'FAILURE' } : visit,
      ),
      halts: [haltView()],
    },
  };
}

/** Returns a state in which three branches of a FORK execute at once. */
export function forkedState(): ViewState {
  const state = baseState();
  const workflow = runningWorkflow();
  const caller = 'Feature_Implement__ReviewChange';
  const leaves = [
    ['Review_Security', 'InspectInputs'],
    ['Review_Style', 'CompareNames'],
    ['Review_Speed', 'Measure'],
  ] as const;
  const active = (block: string, waitsFor: string[]): BlockState => ({
    block,
    status: 'active',
    visits: 1,
    attempt: 1,
    since: NOW - 4000,
    durationMs: null,
    waitsFor,
    heads: 1,
    progress: null,
  });
  return {
    ...state,
    workflow: {
      ...workflow,
      blocks: [
        ...workflow.blocks.map((one): BlockState => ({ ...one, status: 'complete', durationMs: 900, waitsFor: [] })),
        active(
          caller,
          leaves.map(([node]) => node),
        ),
        ...leaves.map(([node, name]) => active(`${node}__${name}`, [])),
      ],
      frames: [
        {
          frame: '/',
          parent: null,
          depth: 0,
          node: 'Feature_Implement',
          block: caller,
          visit: 1,
          branch: null,
          status: 'active',
        },
        ...leaves.map(([node, name], branch): ViewFrame => ({
          frame: `/${caller}#1[${branch}]`,
          parent: '/',
          depth: 1,
          node,
          block: `${node}__${name}`,
          visit: 1,
          branch,
          status: 'active',
        })),
      ],
    },
  };
}

export const integration = (): IntegrationState => ({
  session: 's1',
  title: 'Implement login',
  state: 'ready',
  branch: 'robosmith/implement-login',
  baseBranch: 'main',
  finishedAt: NOW - 125_000,
  elapsedMs: 708_000,
  spending: { input: 190_000, output: 24_000, microUsd: 1_310_000, atLeast: false },
  budgetMicroUsd: 2_000_000,
  answer: null,
  tree: 'a'.repeat(40),
  blocks: 37,
  attempts: 44,
  answers: 2,
  checks: [
    { name: '48 tests', held: true },
    { name: 'lint', held: true },
    { name: 'build', held: true },
  ],
  base: { ahead: 3, clashes: [], unmerged: false },
  unread: null,
  files: [
    { path: 'src/login.ts', change: 'modified', from: null, added: 48, deleted: 12, symbols: ['signIn', 'refresh'] },
    { path: 'src/session.ts', change: 'modified', from: null, added: 22, deleted: 9, symbols: ['Session.restore'] },
    {
      path: 'src/token-check.ts',
      change: 'added',
      from: null,
      added: 61,
      deleted: 0,
      symbols: ['checkToken', 'TokenError'],
    },
    { path: 'test/login.test.ts', change: 'modified', from: null, added: 74, deleted: 3, symbols: [] },
    { path: 'test/token-check.test.ts', change: 'added', from: null, added: 52, deleted: 0, symbols: [] },
    { path: 'docs/login.md', change: 'modified', from: null, added: 18, deleted: 4, symbols: [] },
    {
      path: 'src/auth/claims.ts',
      change: 'renamed',
      from: 'src/claims.ts',
      added: 2,
      deleted: 2,
      symbols: ['readClaims'],
    },
    { path: 'src/legacy-token.ts', change: 'deleted', from: null, added: 0, deleted: 83, symbols: ['decodeLegacy'] },
  ],
  message: `Check the token before the session is restored

An expired token now gets 401 on refresh. The check lives in token-check.ts; the legacy decoder is gone.`,
  busy: null,
  refusal: null,
  notes: [],
  controls: { terminal: null, merge: null, hold: null, push: null, discard: null, update: null },
});

/** Returns a state in which the run is complete. */
export function completeState(): ViewState {
  const state = baseState();
  const workflow = runningWorkflow();
  return {
    ...state,
    sessions: state.sessions.map((one) =>
      one.key === 's1' ? { ...one, state: 'ready', queue: 'complete', needsPerson: true } : one,
    ),
    workflow: {
      ...workflow,
      run: workflow.run === null ? null : { ...workflow.run, status: 'completed', endedAt: NOW },
      frames: [],
      blocks: workflow.blocks.map((one) => ({ ...one, status: 'complete', waitsFor: [], durationMs: 1000 })),
      controls: {
        ...FREE,
        run: null,
        step: 'The run has ended.',
        pause: 'The run has ended.',
        stop: 'The run has ended.',
      },
    },
    integration: integration(),
  };
}

/** Returns a state in which nothing has run yet. */
export function pendingState(): ViewState {
  const state = baseState();
  return {
    ...state,
    open: null,
    workflow: {
      ...runningWorkflow(),
      run: null,
      controls: {
        run: null,
        step: 'No run yet.',
        pause: 'No run yet.',
        stop: 'No run yet.',
        resume: 'No run yet.',
        fork: 'No run yet.',
      },
      blocks: [],
      rows: [],
      frames: [],
      visits: [],
      nodes: [],
      lastTransition: null,
      totals: { spending: NOTHING, budgetMicroUsd: null, elapsedMs: 0, at: NOW, ticking: false },
    },
  };
}

const cut = (text: string): { readonly text: string; readonly more: string | null } => ({ text, more: null });

export const factsOf = (block: string, visit: number | null): BlockFacts => ({
  run: 'r1',
  block,
  visit: visit ?? 2,
  model: block.endsWith('ProposeFix') ? 'local-coder-30b' : null,
  key: block.endsWith('ProposeFix') ? 'openai-2' : null,
  keyNote: block.endsWith('ProposeFix') ? 'openai-1 cools 0:41' : null,
  spending: { input: 18_800, output: 1100, microUsd: 50_000, atLeast: false },
  layers: [
    { layer: 1, tokens: 9100 },
    { layer: 2, tokens: 1200 },
    { layer: 3, tokens: 2400 },
    { layer: 4, tokens: 5800 },
    { layer: 5, tokens: 300 },
  ],
  answer: cut(
    'The refresh path builds the session before the token is checked, so `exp` is read from an empty claim. I move the check in front and return 401 when',
  ),
  streaming: true,
  failure: null,
  attempts: [],
  files: [],
});

export const conversationOf = (block: string): Conversation => ({
  run: 'r1',
  block,
  visit: 2,
  earlier: 0,
  turns: [
    {
      id: 't1',
      role: 'system',
      kind: null,
      name: 'System',
      visit: null,
      attempt: null,
      durationMs: null,
      tokens: 3600,
      text: cut('Contract, 2 inherited entries, signals SUCCESS, NEEDS_CONTEXT.'),
      streaming: false,
      links: [],
    },
    {
      id: 't2',
      role: 'worker',
      kind: 'command',
      name: 'RunTests',
      visit: 2,
      attempt: 1,
      durationMs: null,
      tokens: null,
      text: cut('2 of 48 tests fail: rejects an expired token; keeps the session after refresh.'),
      streaming: false,
      links: [{ kind: 'file', label: 'Open report', path: 'reports/junit.xml', line: null }],
    },
    {
      id: 't3',
      role: 'assistant',
      kind: 'ai',
      name: 'ProposeFix',
      visit: 1,
      attempt: 1,
      durationMs: 23_000,
      tokens: 700,
      text: cut('The check runs after the session is restored. I moved it into signIn.'),
      streaming: false,
      links: [{ kind: 'diff', label: 'Open diff', path: 'src/login.ts' }],
    },
    {
      id: 't4',
      role: 'you',
      kind: 'person',
      name: 'You',
      visit: 1,
      attempt: null,
      durationMs: null,
      tokens: null,
      text: cut('The refresh path needs it too, not only signIn.'),
      streaming: false,
      links: [],
    },
    {
      id: 't5',
      role: 'assistant',
      kind: 'ai',
      name: 'ProposeFix',
      visit: 2,
      attempt: 2,
      durationMs: null,
      tokens: null,
      text: cut(
        'The refresh path builds the session before the token is checked, so `exp` is read from an empty claim. I move the check in front and return 401 when',
      ),
      streaming: true,
      links: [],
    },
  ],
});

export const contextOf = (block: string): BlockContext => ({
  run: 'r1',
  block,
  visit: 2,
  layers: [
    {
      layer: 1,
      name: 'Execution payload',
      tokens: 9100,
      segments: [
        {
          id: 'c1',
          name: 'TEST_REPORT',
          source: 'RunTests, visit 2',
          reason: 'last of its type',
          tokens: 6200,
          text: cut('2 failed, 46 passed'),
          cutTokens: 1400,
        },
        {
          id: 'c2',
          name: 'GUIDANCE',
          source: 'you',
          reason: 'said at the last halt',
          tokens: 2900,
          text: cut('The refresh path needs it too.'),
          cutTokens: 0,
        },
      ],
    },
    {
      layer: 2,
      name: 'Block contract',
      tokens: 1200,
      segments: [
        {
          id: 'c3',
          name: 'contract',
          source: 'workflows.json',
          reason: 'the block names it',
          tokens: 1200,
          text: cut('Propose one fix.'),
          cutTokens: 0,
        },
      ],
    },
    { layer: 3, name: 'Inherited context', tokens: 2400, segments: [] },
    {
      layer: 4,
      name: 'Primary artifact',
      tokens: 5800,
      segments: [
        {
          id: 'c4',
          name: 'src/login.ts',
          source: 'worktree',
          reason: 'the block reads it',
          tokens: 5800,
          text: cut('export function signIn() {}'),
          cutTokens: 0,
        },
      ],
    },
    { layer: 5, name: 'System metadata', tokens: 300, segments: [] },
  ],
});

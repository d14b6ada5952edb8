import { expect, test } from 'vitest';
import { printCosts } from '#cli/print/call-costs.ts';
import { printCalls } from '#cli/print/calls.ts';
import { printChecks } from '#cli/doctor/print-checks.ts';
import { printInbox } from '#cli/print/inbox.ts';
import { printKeys } from '#cli/print/keys.ts';
import { statusLines } from '#cli/print/project-status.ts';
import { reporterFor } from '#cli/print/reporter.ts';
import { printSessions } from '#cli/print/sessions.ts';
import { buildProgram } from '#cli/program.ts';
import type { ProjectStatus } from '#engine/index.ts';
import { type ListedKey, refusalResponse } from '#engine/authoring.ts';
import type { CallSummary } from '#protocol/call-record.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId, RunId } from '#protocol/id.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import { aSession } from '../../machines/session/a-session.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const WHY = 'its run waits for a person: robosmith inbox';

const listing = (number: number, why: string | null): SessionListing => ({
  session: aSession(number, { state: why === null ? 'ready' : 'halted', why, title: `The title of ${number}` }),
  overlap: 'Clash (semantic)',
  clashes: [],
  conflicts: null,
  semantics: [],
  queue: why === null ? 'complete' : 'halted',
  order: null,
  waits: null,
  run: null,
  calls: null,
  attempt: null,
  health: { colour: 'red', reason: why ?? 'a merge is in progress' },
});

const LISTINGS = [listing(1, WHY), listing(2, null)];

const CALL: CallSummary = {
  call: 'f461cda880d2438a',
  file: 'f.json',
  started_at: 0,
  origin: null,
  run: null,
  block: 'Fix__Write',
  provider: 'openai-compatible',
  model: 'tiny',
  key: 'my-box',
  outcome: 'ok',
  attempts: 1,
  input: 100,
  output: 20,
  cached: 0,
  micro_usd: null,
  ms: 143,
};

const KEY: ListedKey = {
  alias: 'my-box',
  provider: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:8080/v1',
  account: null,
  pool: null,
  from: { kind: 'environment', variable: 'ROBOSMITH_KEY_MY_BOX' },
  tier: 1,
  hasSecret: true,
  report: { alias: 'my-box', state: 'healthy', until: null, why: null, said: '' },
};

/** Creates a terminal of the given width and records what it shows. */
function onScreen(columns: number) {
  let text = '';
  const screen = { isTerminal: true, columns: () => columns, write: (more: string) => void (text += more) };
  const io = fakeIo({ stdout: screen, stderr: screen, env: { FORCE_COLOR: '0' } });
  return { io, lines: () => text.split('\n') };
}

const widest = (lines: readonly string[]): number => Math.max(...lines.map(({ length }) => length));

test.each([40, 60, 80, 200])('a list of sessions is no wider than %i columns, and its notes are whole', (columns) => {
  const { io, lines } = onScreen(columns);
  printSessions(LISTINGS, false, io);
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  expect(lines().join('\n').replaceAll(/\s+/g, ' ')).toContain(WHY);
});

const STATUS: ProjectStatus = {
  engine: { kind: 'host', host: 'here', pid: 12_345_678, since: 0 },
  waiting: 12,
  findings: 3,
  sessions: LISTINGS,
  runs: [],
};

test.each([40, 80])('nor is the status', (columns) => {
  const shown = statusLines(STATUS, { disk: null, all: false, costs: new Map() }, onScreen(columns).io);
  expect(widest(shown)).toBeLessThanOrEqual(columns);
  expect(shown.join('\n').replaceAll(/\s+/g, ' ')).toContain(WHY);
});

test.each([40, 80])('nor are calls and keys, whose names are whole', (columns) => {
  const { io, lines } = onScreen(columns);
  printCalls({ calls: [CALL], damaged: [] }, 1, io);
  printKeys({ keys: [KEY], problems: [] }, io);
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  for (const whole of ['f461cda880d2438a', 'outcome', 'my-box', 'healthy']) expect(lines().join('\n')).toContain(whole);
});

test.each([40, 80])('nor are checks, whose advice is whole', (columns) => {
  const { io, lines } = onScreen(columns);
  const message = 'this project is not trusted yet to run its commands or call its models';
  const advice = 'The first `robosmith run` asks, or pass --trust.';
  printChecks([{ id: 'trust', status: 'warn', message, advice }], io);
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  for (const whole of [message, advice]) expect(lines().join('\n').replaceAll(/\s+/g, ' ')).toContain(whole);
});

const FILE = { path: 'a.txt', change: 'modified', from: null, added: 1, deleted: 2 } as const;

test('nor is the inbox, whose commands are whole when they are copied', () => {
  const { io, lines } = onScreen(40);
  const run = 'r0a1b2c3d4e5f' as RunId;
  const { id } = aSession(1);
  printInbox(
    {
      waiting: [],
      sessions: [
        { session: id, title: 'T', state: 'failed', since: 0, why: WHY, answers: [`robosmith resume ${run} --retry`] },
      ],
      damaged: [],
      interrupted: [],
    },
    {
      hosted: new Set(),
      changes: new Map([[id, { ok: true, since: 'c', files: [FILE], added: 1, deleted: 2, patch: null, omitted: 0 }]]),
    },
    io,
  );
  expect(widest(lines())).toBeLessThanOrEqual(40);
  expect(lines().join('\n')).toContain(`    robosmith resume ${run} \\\n      --retry\n`);
  expect(lines().join('\n')).toContain(`  +1 −2 in 1 file\n    robosmith sessions diff ${id}\n`);
});

test('what is over is counted as it is spoken', () => {
  const over = (count: number): string => {
    const { io, lines } = onScreen(80);
    const one = listing(3, null);
    const merged = { ...one, session: { ...one.session, state: 'merged' as const } };
    printSessions(
      Array.from({ length: count }, () => merged),
      false,
      io,
    );
    return lines().join('\n');
  };
  expect([over(1), over(2)]).toEqual([
    expect.stringContaining('1 has ended: robosmith sessions --all'),
    expect.stringContaining('2 have ended: robosmith sessions --all'),
  ]);
});

const BLOCK = { node: 'Main', block: 'Main__Write' as BlockId, frame: '/', depth: 0 } as const;
const AT = { seq: 1, run_id: 'r0a1b2c3d4e5f' as RunId, trace_id: 't', time: 0 } as const;
const LONG = 'somebody else has changed the branch, the index and three files of the main checkout meanwhile';

test.each([40, 60])('nor is the progress of a run and its end, at %i columns', (columns) => {
  const { io, lines } = onScreen(columns);
  const graph = { nodes: [] } as unknown as Graph;
  const reporter = reporterFor({}, undefined, io);
  reporter.started({
    graph,
    start: { node: 'Feature_Implement' as NodeId },
    notes: ['simulated, nothing is executed', '.vision/workflows.json'],
    isScripted: () => false,
    shownFile: (file) => file,
    kept: null,
  });
  reporter.event({ type: 'main.changed', text: LONG, ...BLOCK, ...AT } as unknown as RoboSmithEvent);
  reporter.ended(refusalResponse('cancelled', { message: 'The run was ended by a person.' }));
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  const shown = lines().join('\n').replaceAll(/\s+/g, ' ');
  for (const whole of ['simulated, nothing is executed', LONG, 'The run was ended by a person.'])
    expect(shown).toContain(whole);
});

test.each([60, 80])('nor is the help of a command, at %i columns', async (columns) => {
  const { io, lines } = onScreen(columns);
  const program = buildProgram(io, () => undefined);
  await expect(program.parseAsync(['node', 'robosmith', 'sessions', '--help'])).rejects.toThrow('(outputHelp)');
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  expect(lines().join('\n').replaceAll(/\s+/g, ' ')).toContain('including uncommitted and new files');
});

test('an ended session has its state, and is not called unchecked', () => {
  const { io, lines } = onScreen(200);
  const merged = aSession(1, { state: 'merged', why: null, title: 'Done', changed: ['a.txt'] });
  const ended: SessionListing = { ...listing(1, null), conflicts: [], overlap: 'Unchecked', session: merged };
  printSessions([ended], true, io);
  const shown = [
    ...lines(),
    ...statusLines({ ...STATUS, sessions: [ended] }, { disk: null, all: true, costs: new Map() }, io),
  ].join('\n');
  expect(shown).not.toContain('Unchecked');
  expect(shown).not.toContain('complete');
  expect(shown.match(/\bmerged\b/g)).toHaveLength(2);
});

test.each([40, 80])('a table of costs names its models at %i columns, and drops numbers instead', (columns) => {
  const { io, lines } = onScreen(columns);
  const sum = {
    calls: 12,
    input: 123_456,
    cached: 100_000,
    output: 23_456,
    micro_usd: 1_234_567,
    unknown: 0,
    at_least: 0,
    repriced: 0,
  };
  const name = 'anthropic/claude-sonnet-4-5';
  const context = { slices: 0, tokens: 0, tokens_saved: 0 };
  printCosts(
    { groups: [{ name, ...sum }], all: { name: 'all', ...sum }, context },
    'model',
    { files: [], problems: [] },
    io,
  );
  expect(widest(lines())).toBeLessThanOrEqual(columns);
  expect(lines()[0]?.split(/ +/)).toEqual(
    columns === 40 ? ['model', 'calls', 'output', 'cost'] : ['model', 'calls', 'input', 'cached', 'output', 'cost'],
  );
  expect(lines()[1]).toMatch(columns === 40 ? /^anthropic\/claude-… / : /^anthropic\/claude-sonnet-4-5 /);
});

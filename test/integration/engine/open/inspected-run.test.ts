import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectMethods } from '../../../../src/host/server/inspect-methods.ts';
import type { Caller } from '../../../../src/host/server/methods/methods.ts';
import { compile, type Engine, openEngine, type Response, type Worker } from '../../../../src/index.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';

const MILLION = 1_000_000;

/**
 * Values that cause harm when code traverses, reads or prints them. Each function creates a new value, so that nothing
 * else refers to it.
 */
const VALUES: Readonly<Record<string, () => unknown>> = {
  cycle: () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    return { exports: { cycle } };
  },
  getter: () => Object.defineProperty({}, 'exports', { enumerable: true, get: () => fail('read') }),
  proxy: () => new Proxy({}, { get: () => fail('trapped'), ownKeys: () => fail('listed') }),
  bigint: () => ({ exports: { big: 10n ** 100n } }),
  symbol: () => ({ exports: { [Symbol('s')]: 1, toJSON: () => fail('printed') } }),
  text: () => ({ append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(100 * MILLION) }] }),
  longText: () => ({ append: [{ type: 'CODE_OUTPUT', content: 'x'.repeat(30 * MILLION) }] }),
  key: () => ({ exports: { ['k'.repeat(10 * MILLION)]: 1 } }),
  keys: () => ({ exports: Object.fromEntries(Array.from({ length: MILLION / 2 }, (_, at) => [`k${at}`, at])) }),
  list: () => ({ exports: { list: Array.from({ length: MILLION }, (_, at) => at) } }),
  signal: () => ({ signal: `SIGNAL:${'A'.repeat(10 * MILLION)}` }),
  thrown: () => {
    throw Object.defineProperty(new Error('e'), 'message', { get: () => fail('asked') });
  },
  thrownProxy: () => {
    throw new Proxy(new Error('e'), { get: () => fail('trapped'), getPrototypeOf: () => fail('looked up') });
  },
};

const fail = (how: string): never => {
  throw new Error(how);
};

const NAMES = Object.keys(VALUES);

const goes = (action: string) => [
  { on_signal: 'SIGNAL:SUCCESS', action },
  { on_signal: 'SIGNAL:FAIL_DEFAULT', action },
];

/** Returns a workflow with one block per value, in sequence, followed by a few blocks that do nothing. */
function workflow() {
  const all = [...NAMES, 'after', 'later', 'last'];
  const blocks = Object.fromEntries(
    all.map((name, at) => {
      const next = all[at + 1];
      return [`B${name}`, { worker: 'Mine', transitions: goes(next === undefined ? 'RETURN' : `JUMP:B${next}`) }];
    }),
  );
  const manifest = { version: 1, entry: 'Main', nodes: { Main: { entry_block: `B${NAMES[0] ?? ''}`, blocks } } };
  const files = [{ path: 'workflows.json', text: JSON.stringify(manifest) }];
  const compiled = compile(files, { registry: new Set(['Mine']) }).workflow;
  if (compiled === null) throw new Error('the manifest has errors');
  return compiled;
}

const worker: Worker = {
  sideEffects: 'none',
  execute: ({ system: { block } }) => {
    const value = VALUES[block.replace('Main__B', '')]?.();
    if (value === undefined) return Promise.resolve({ signal: 'SIGNAL:SUCCESS' });
    const result = value as { signal?: string };
    // Writing a property of the proxy would run its trap here, so the proxy is skipped.
    if (!block.endsWith('Bproxy')) result.signal ??= 'SIGNAL:SUCCESS';
    return Promise.resolve(result as never);
  },
};

let root = '';
let engine: Engine;
let warnings: string[];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-inspected-'));
  warnings = [];
  const opened = openEngine(root, { warn: (message) => void warnings.push(message) });
  if (!opened.ok) throw new Error('the engine of a new project is owned');
  ({ engine } = opened);
});
afterEach(async () => {
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

/** Runs the workflow and returns the values that must be the same with and without inspection. */
async function run(): Promise<unknown> {
  const started = engine.start(workflow(), { start: { node: 'Main' as never }, workers: { Mine: worker } });
  const { success, reason, details, data, path: steps } = await started.settled();
  const content = data.payload.map((segment) => ({ ...segment, id: '', timestamp: 0 }));
  return { success, reason, details, content, exports: data.exports, steps } satisfies Partial<Response> | object;
}

/** Attaches a client of the host. `notify` receives the client's events. Returns a function that disconnects it. */
async function attach(notify: (events: readonly InspectionEvent[]) => Promise<void>): Promise<() => void> {
  const gone: (() => void)[] = [];
  const caller: Caller = {
    isLocal: false,
    notify: (_name, notice) => notify('events' in notice ? (notice.events as readonly InspectionEvent[]) : []),
    onGone: (work) => void gone.push(work),
  };
  await inspectMethods((sink) => engine.inspect(sink))['inspect.open']({}, caller);
  return () => {
    for (const work of gone) work();
  };
}

async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turns = 0; turns < 5; turns += 1) {
    await new Promise(setImmediate);
    collect();
  }
  return process.memoryUsage().heapUsed;
}

test('a run over hostile values ends the same when it is inspected', async () => {
  const uninspected = await run();
  expect(uninspected).toMatchObject({ success: true });
  const seen: InspectionEvent[] = [];
  let largest = 0;
  const end = await attach((events) => {
    seen.push(...events);
    largest = Math.max(largest, JSON.stringify(events).length);
    return Promise.resolve();
  });
  let taken = 0;
  await attach(() => ((taken += 1) > 5 ? Promise.reject(new Error('the client is gone')) : Promise.resolve()));
  await attach(() => fail('the connection is broken'));
  const inspected = await run();
  end();
  expect(inspected).toEqual(uninspected);
  const steps = seen.filter((event) => event.type === '@xstate.microstep' && event.event.type.startsWith('SIGNAL:'));
  expect(steps.length).toBe(NAMES.length + 3);
  expect(largest).toBeLessThan(500_000);
  expect(warnings).toEqual([]);
});

test('a client that never reads holds no more than what it was to be told', async () => {
  const before = await heapUsed();
  const end = await attach(() => new Promise(() => undefined));
  expect(await run()).toMatchObject({ success: true });
  const after = await heapUsed();
  end();
  expect(after - before).toBeLessThan(20 * MILLION);
});

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listExecutables } from '#engine/trust/list-executables.ts';
import { loadRegistry, registryWorkers } from '#engine/index.ts';
import { workerOfExport } from '../../../../src/engine/modules/worker-of-export.ts';
import { startRun } from '../../../../src/engine/run/start-run.ts';
import { workflowOf } from '#compiler/index.ts';
import type { Run } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { EPOCH, inVirtualTime, type VirtualPorts, virtualPorts } from '../../../unit/engine/small-workflow.ts';
import { graphWith, projectFolder, type ProjectFolder } from './project-folder.ts';

let at: ProjectFolder;
let ports: VirtualPorts;
beforeEach(async () => {
  at = await projectFolder();
  ports = virtualPorts();
});
afterEach(() => at.remove());

let modules = 0;

/** Imports the worker into this thread, as a caller of the library does. Time is virtual. */
async function workersHere(code: string): Promise<ReadonlyMap<string, Worker>> {
  modules += 1;
  await at.write(`w${modules}.mjs`, `export const W = ${code};`);
  const exports = (await import(pathToFileURL(path.join(at.root, `w${modules}.mjs`)).href)) as Record<string, unknown>;
  const found = workerOfExport(exports, 'W');
  if ('problem' in found) throw new Error(found.problem);
  return new Map([['mine', found.worker]]);
}

/** Loads the worker through the registry, which executes it in a thread. */
async function workersInThread(code: string): Promise<ReadonlyMap<string, Worker>> {
  await at.write('w.mjs', `export const W = ${code};`);
  await at.registry({ mine: './w.mjs#W' });
  const registry = await loadRegistry(at.root, 'all', await listExecutables(null, at.root));
  if (!registry.ok) throw new Error(registry.problem.message);
  expect(registry.entries).toMatchObject([{ status: 'ready' }]);
  return registryWorkers(graphWith(['mine']), registry);
}

/** Starts a run of one block whose worker is the module code `code`. */
async function begin(code: string, block: object = {}, load = workersHere): Promise<Run> {
  const graph = graphWith(['mine'], { block });
  const workers = await load(code);
  return startRun(workflowOf(graph), { start: { node: 'Main' as never }, workers }, ports);
}

const run = async (code: string, block: object = {}, load = workersHere) =>
  inVirtualTime(ports, (await begin(code, block, load)).settled());

/** The threads in which a worker can run. The same contract applies in the caller's thread and in a separate one. */
const PLACES = [
  ['in the thread of its caller', workersHere],
  ['in a thread', workersInThread],
] as const;

const returning = (result: string, more = ''): string =>
  `{ sideEffects: 'none', ${more} execute: async () => (${result}) }`;
const SUCCESS = "{ signal: 'SIGNAL:SUCCESS' }";

describe.each(PLACES)('the memory %s', (_where, load) => {
  test.each([
    'memory.system.node = 1',
    "memory.payload.push({ type: 'T', content: '' })",
    'memory.payload.length = 0',
    'memory.contract.signals.push(1)',
    "memory.inherited['x'] = 1",
    "memory.exports['x'] = 1",
    'memory.artifact.files.push({})',
    'delete memory.payload',
    'Object.setPrototypeOf(memory, null)',
  ])('is frozen: %s throws, and the error names the worker', async (attack) => {
    verifies('workers.contract.frozen');
    const response = await run(
      `{ sideEffects: 'none', async execute(memory) { ${attack}; return ${SUCCESS}; } }`,
      {},
      load,
    );
    expect(response).toMatchObject({ reason: 'worker_error', error_type: 'TypeError', details: { worker: 'mine' } });
    expect(response.details['message']).toMatch(/^mine: /);
  });
});

describe.each(PLACES)('what is returned %s', (_where, load) => {
  test.each([
    ['nothing', 'undefined', 'the result is not an object'],
    ['a text', "'SIGNAL:SUCCESS'", 'the result is not an object'],
    ['a getter that throws', "{ get signal() { throw new Error('boo'); } }", "the result can't be read: boo"],
    [
      'a getter deep inside',
      "{ signal: 'SIGNAL:SUCCESS', exports: { get a() { throw new Error('boo'); } } }",
      "the result can't be read: boo",
    ],
    [
      'a proxy that throws',
      "new Proxy({}, { get(_, key) { if (key === 'then') return undefined; throw new Error('boo'); } })",
      "the result can't be read: boo",
    ],
    [
      'a revoked proxy',
      "{ signal: 'SIGNAL:SUCCESS', stats: (() => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy; })() }",
      "the result can't be read: ",
    ],
    [
      'an endless list',
      "{ signal: 'SIGNAL:SUCCESS', append: new Proxy([], { get: (_, key) => key === 'length' ? Infinity : { type: 'T', content: '' } }) }",
      '"append" has Infinity segments, more than 100000',
    ],
    [
      'a list with a length of its own',
      "{ signal: 'SIGNAL:SUCCESS', append: new Proxy([], { get: (_, key) => key === 'length' ? NaN : { type: 'T', content: '' } }) }",
      '"append" has NaN segments',
    ],
    ['a function', "{ signal: 'SIGNAL:SUCCESS', exports: { f() {} } }", '"exports/f" is a function, not JSON'],
    ['a date', "{ signal: 'SIGNAL:SUCCESS', exports: { d: new Date(0) } }", '"exports/d" is not a plain object'],
    ['a big integer', "{ signal: 'SIGNAL:SUCCESS', stats: { n: 1n } }", '"stats/n" is a bigint, not JSON'],
  ])('%s breaks the contract, and nothing else', async (_name, result, problem) => {
    verifies(
      'workers.contract.violation-is-failure',
      'workers.contract.result-serialisable',
      'workers.contract.result-size',
    );
    const response = await run(returning(result), {}, load);
    expect(response).toMatchObject({ reason: 'worker_contract_violation', data: { payload: [], exports: {} } });
    expect(response.details['message']).toContain(`mine: ${problem}`);
  });

  test('may come at once, without a promise', async () => {
    expect(
      await run(`{ sideEffects: 'none', execute: () => (${SUCCESS}), checkPreconditions: () => undefined }`),
    ).toMatchObject({
      success: true,
    });
  });

  test('is copied: what the worker does to its own objects later changes nothing', async () => {
    verifies('workers.contract.result-serialisable');
    const response = await run(
      `(() => {
      const kept = { type: 'NOTE', content: 'as it was', meta: { list: [1] } };
      const result = { signal: 'SIGNAL:SUCCESS', append: [kept], exports: { a: { b: 1 } } };
      return { sideEffects: 'none', execute: async () => {
        queueMicrotask(() => { for (let i = 0; i < 20; i += 1) kept.content = 'changed'; });
        setImmediate(() => { kept.content = 'changed'; kept.meta.list.push(2); result.exports.a.b = 2; });
        return result;
      } };
    })()`,
      {},
      load,
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(response.data.exports).toEqual({ a: { b: 1 } });
    expect(response.data.payload[0]?.meta).toEqual({ list: [1] });
  });

  test('says once what it is: a getter that changes its mind is read once', async () => {
    const code = `(() => { let asked = 0; return ${returning("{ get signal() { asked += 1; return asked === 1 ? 'SIGNAL:SUCCESS' : 'nonsense'; } }")}; })()`;
    expect(await run(code, {}, load)).toMatchObject({ success: true, path: [{ signal: 'SIGNAL:SUCCESS' }] });
  });
});

describe.each(PLACES)('what is thrown %s', (_where, load) => {
  test.each([
    ['a proxy that throws', 'new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })'],
    ['an error whose message throws', "Object.defineProperty(new Error(), 'message', { get() { throw 1; } })"],
    ['an error whose name throws', "Object.defineProperty(new Error('x'), 'name', { get() { throw 1; } })"],
    [
      'an error without a text',
      "Object.assign(new Error('x'), { message: Symbol('s'), name: { toString() { throw 1; } } })",
    ],
    ['nothing', 'undefined'],
    ['a very long text', "new Error('x'.repeat(10_000_000))"],
  ])('%s is worker_error, and no end of the engine', async (_name, thrown) => {
    verifies('workers.contract.violation-is-failure');
    const response = await run(`{ sideEffects: 'none', execute: async () => { throw ${thrown}; } }`, {}, load);
    expect(response).toMatchObject({ reason: 'worker_error', path: [{ signal: 'SIGNAL:ERROR' }] });
    expect(JSON.stringify(response).length).toBeLessThan(200_000);
  });

  test('before it has begun is a refusal, whatever it is', async () => {
    verifies('workers.contract.preconditions');
    const response = await run(
      `{ sideEffects: 'none', checkPreconditions() { throw new Proxy({}, { getPrototypeOf() { throw 2; } }); }, execute: async () => ${SUCCESS} }`,
    );
    expect(response).toMatchObject({ reason: 'precondition_failed', details: { worker: 'mine' } });
  });
});

describe('checkPreconditions', () => {
  const HANGS = 'checkPreconditions: () => new Promise(() => undefined),';

  test('that hangs has refused after a minute: nothing was executed', async () => {
    verifies('workers.contract.preconditions');
    const response = await run(returning(SUCCESS, HANGS));
    expect(response).toMatchObject({
      reason: 'precondition_failed',
      details: { message: 'mine did not finish its check within 60000 ms' },
    });
    expect(ports.clock.now() - EPOCH).toBe(60_000);
  });

  test("that hangs ends with the block's own limit, when that is sooner: nothing had begun, so it may be tried again", async () => {
    const again = {
      timeout_ms: 500,
      side_effects: 'non_idempotent',
      recovery: { timeout: [{ policy: 'retry', max_attempts: 2 }] },
    };
    const once = `(() => { let asked = 0; return ${returning(SUCCESS, 'checkPreconditions: () => (asked += 1) === 1 ? new Promise(() => undefined) : Promise.resolve(),')}; })()`;
    expect(await run(once, again)).toMatchObject({ success: true, path: [{ attempts: 2 }] });
  });

  test('that ends when its execution has been given up: it does not begin', async () => {
    const code = `(() => { globalThis.begun = 0; return { sideEffects: 'none',
      checkPreconditions: (memory, { clock }) => clock.sleep(2_000, new AbortController().signal, '/'),
      execute: async () => { globalThis.begun += 1; return ${SUCCESS}; } }; })()`;
    expect(await run(code, { timeout_ms: 1_000 })).toMatchObject({ reason: 'timeout' });
    while (ports.clock.advance()) await new Promise((resolve) => setImmediate(resolve));
    expect((globalThis as { begun?: number }).begun).toBe(0);
  });

  test('leaves no timer behind when it is quick', async () => {
    expect(await run(returning(SUCCESS, 'checkPreconditions: async () => undefined,'))).toMatchObject({
      success: true,
    });
    expect([ports.clock.advance(), ports.clock.now()]).toEqual([false, EPOCH]);
  });

  test('is given the memory and the services of the execution', async () => {
    const code = `{ sideEffects: 'none', checkPreconditions: async ({ system }, { block }) => {
      if (system.block !== 'Main__B0' || block.worker !== 'mine') throw new Error('something else');
    }, execute: async () => (${SUCCESS}) }`;
    expect(await run(code)).toMatchObject({ success: true });
  });
});

describe('the abort signal', () => {
  const DEAF = "{ sideEffects: 'none', execute: () => new Promise(() => undefined) }";

  test('that nobody listens to: the time limit strikes all the same', async () => {
    verifies('workers.contract.abort-signal');
    const response = await run(DEAF, { timeout_ms: 1_000 });
    expect(response).toMatchObject({ reason: 'timeout', path: [{ signal: 'SIGNAL:TIMEOUT' }] });
    // The engine has also waited for the grace period before it abandoned the worker.
    expect(ports.clock.now() - EPOCH).toBe(7_500);
  });

  test.each(['cancel', 'interrupt'] as const)('that nobody listens to: %s ends the run all the same', async (verb) => {
    verifies('workers.contract.abort-signal');
    const begun = await begin(DEAF);
    begun[verb]();
    const response = await inVirtualTime(ports, begun.settled());
    expect(response.reason).toBe(verb === 'cancel' ? 'cancelled' : 'interrupted');
    expect(ports.clock.now() - EPOCH).toBe(6_500);
  });

  test('that has struck makes late words too late', async () => {
    const response = await run(
      `{ sideEffects: 'none', execute: (_memory, { clock, block }, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(${SUCCESS}))) }`,
      { timeout_ms: 1_000 },
    );
    expect(response).toMatchObject({ reason: 'timeout' });
  });
});

describe('side effects', () => {
  const RETRY = { recovery: { '*': [{ policy: 'retry', max_attempts: 2 }] } };

  test.each(["() => { throw new Error('boo'); }", "() => 'whatever'", '() => ({})'])(
    'that it does not know itself (%s) count as non_idempotent',
    async (opinion) => {
      verifies('workers.contract.unknown-side-effects');
      const response = await run(
        `{ sideEffects: 'none', sideEffectsOf: ${opinion}, execute: async () => { throw new Error('x'); } }`,
        RETRY,
      );
      expect(response).toMatchObject({ reason: 'unsafe_to_retry', path: [{ attempts: 1 }] });
    },
  );

  test('are asked once, when it is registered', async () => {
    verifies('workers.contract.registration');
    const response = await run(
      `(() => { let asked = 0; return { get sideEffects() { asked += 1; if (asked > 1) throw new Error('again'); return 'none'; }, get execute() { asked += 10; return async () => (${SUCCESS}); } }; })()`,
    );
    expect(response).toMatchObject({ success: true });
  });
});

describe('cleanup', () => {
  test('is called on interruption with its own `this`, for five seconds at most', async () => {
    verifies('workers.contract.cleanup');
    const begun = await begin(`{ sideEffects: 'none', name: 'mine', execute: () => new Promise(() => undefined),
      cleanup() { globalThis.cleaned = this.name; return new Promise(() => undefined); } }`);
    begun.interrupt();
    expect((await inVirtualTime(ports, begun.settled())).reason).toBe('interrupted');
    expect((globalThis as { cleaned?: string }).cleaned).toBe('mine');
  });
});

import { BrokenContract } from '#machines/run/check-result.ts';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeModule } from '#engine/modules/describe-module.ts';
import { createModuleThreads, type ModuleThreads } from '#engine/modules/module-threads.ts';
import { moduleWorker } from '#engine/modules/module-worker.ts';
import { wallClock } from '#io/clock/clock.ts';
import { findModule } from '#io/project/module-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';

let folder: string;
let threads: ModuleThreads;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-modules-')));
  threads = createModuleThreads();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (code: string): Promise<void> => writeFile(path.join(folder, 'w.mjs'), code);

async function describeIt(code: string, names = ['W']) {
  await write(code);
  const module = await findModule(path.join(folder, 'w.mjs'), folder);
  if (module === null) throw new Error('the module was just written');
  return describeModule(module, names, wallClock, process.env, threads);
}

async function load(worker: string): Promise<Worker> {
  const described = await describeIt(`export const W = ${worker};`);
  if ('problem' in described) throw new Error(described.problem);
  const found = described.exports['W'];
  if (found === undefined || 'problem' in found) throw new Error('it is no worker');
  return moduleWorker(described.module, 'W', found, process.env, threads);
}

const executing = (body: string, more = ''): Promise<Worker> =>
  load(`{ sideEffects: 'none', ${more} async execute(memory, services, signal) { ${body} } }`);

const memoryOf = (content = 'x'): BlockMemory =>
  ({
    payload: [{ id: '1', type: 'T', content, source: null, meta: {}, timestamp: 0 }],
    system: { node: 'N' },
  }) as never;

const servicesWith = (more: Partial<Services> = {}): Services =>
  ({ clock: wallClock, files: null, commands: {}, block: null, progress: () => undefined, ...more }) as never;

const execute = (worker: Worker, services = servicesWith(), signal = new AbortController().signal) =>
  worker.execute(memoryOf(), services, signal);

/** A killed process may remain as a zombie, whose command line is empty. */
const isSleep = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep');
  } catch {
    return false;
  }
};

const OK = "return { signal: 'SIGNAL:SUCCESS' };";

describe('an execution ends as data when its code', () => {
  test.each([
    ['calls process.exit', 'process.exit(0)', 'it ended its thread with process.exit(0)'],
    [
      'leaves a rejection alone',
      "Promise.reject(new Error('floating')); await new Promise(() => setTimeout(() => {}, 5000));",
      'an unhandled error ended its thread: floating',
    ],
    [
      'throws in a timer',
      "setTimeout(() => { throw new Error('late'); }, 1); await new Promise(() => {});",
      'an unhandled error ended its thread: late',
    ],
  ])('%s', async (_what, body, message) => {
    await expect(execute(await executing(body))).rejects.toThrow(message);
    // Later executions of the same module are not affected.
    expect(await execute(await executing(OK))).toMatchObject({ signal: 'SIGNAL:SUCCESS' });
  });

  test('loops for ever, and is aborted', async () => {
    const controller = new AbortController();
    const started = Promise.withResolvers<null>();
    const worker = await executing("services.progress('started'); for (;;) {}");
    const running = execute(worker, servicesWith({ progress: () => started.resolve(null) }), controller.signal);
    await started.promise;
    controller.abort();
    await expect(running).rejects.toThrow('it ignored the abort signal, and its thread was terminated');
  });

  test('never stops to report its progress, and is aborted', async () => {
    const controller = new AbortController();
    let reports = 0;
    const progress = (): void => {
      reports += 1;
      // The engine's time limit is a timer, so the event loop must get a turn for it.
      if (reports === 1) setTimeout(() => controller.abort(), 0);
    };
    const worker = await executing('for (;;) services.progress("x".repeat(10_000));');
    await expect(execute(worker, servicesWith({ progress }), controller.signal)).rejects.toThrow();
  });

  test('sends messages past its services without end', async () => {
    const worker = await executing(
      `const { parentPort } = await import('node:worker_threads');
       for (let id = 0; ; id += 1) parentPort.postMessage({ kind: 'signal', signal: id });`,
    );
    await expect(execute(worker)).rejects.toThrow('it sent messages faster than the engine can read them');
  });

  test('waits for ever, and is aborted', async () => {
    const controller = new AbortController();
    const running = execute(await executing('await new Promise(() => {});'), servicesWith(), controller.signal);
    controller.abort();
    await expect(running).rejects.toThrow('it ignored the abort signal, and its thread was terminated');
  });
});

test.each([
  ['process.exit(7);', 'it cannot be loaded: it ended its thread with process.exit(7)'],
  ["throw new Error('boom');", 'it cannot be loaded: boom (line 1)'],
  ["Promise.reject(new Error('early')); await new Promise(() => setTimeout(() => {}, 5000));", 'early'],
])('an import that does %s breaks the module', async (code, problem) => {
  expect(await describeIt(code)).toEqual({ problem: expect.stringContaining(problem) as string });
});

test.runIf(process.platform === 'linux')(
  'an execution that is ended takes the processes that it started with it',
  async () => {
    const file = path.join(folder, 'pids');
    const start = (args: string) => `spawn('sh', ['-c', ${args}], { stdio: 'ignore', detached: true }).unref();`;
    const worker = await executing(
      `const { spawn } = await import('node:child_process');
      ${start("'echo $$ >> ' + memory.payload[0].content + '; exec sleep 1000'")}
      ${start("'(setsid sh -c \\'echo $$ >> ' + memory.payload[0].content + '; exec sleep 1000\\' &)'")}
      return new Promise(() => {});`,
    );
    const stop = new AbortController();
    const going = worker.execute(memoryOf(file), servicesWith(), stop.signal);
    const pids = (): readonly number[] =>
      existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
    await expect.poll(pids).toHaveLength(2);
    const live = (): readonly number[] => pids().filter((pid) => existsSync(`/proc/${pid}/environ`) && isSleep(pid));
    expect(live()).toEqual(pids());
    stop.abort();
    await expect(going).rejects.toThrow('its thread was terminated');
    await expect.poll(live).toEqual([]);
  },
);

test.each([
  ['its own process', "process.kill(process.pid, 'SIGUSR2')"],
  ['its own process by an imported name', "(await import('node:process')).kill(process.pid, 'SIGUSR2')"],
  ['its own process, with the number as a text', "process.kill(String(process.pid), 'SIGUSR2')"],
  ['its group', "process.kill(0, 'SIGUSR2')"],
  ['the group with its number', "process.kill(-process.pid, 'SIGUSR2')"],
  [
    'its own process from a thread that it starts',
    `await new Promise((resolve, reject) => {
      const code = "process.kill(process.pid, 'SIGUSR2')";
      new (process.getBuiltinModule('worker_threads').Worker)(code, { eval: true, execArgv: [] }).on('error', reject).on('exit', resolve);
    })`,
  ],
])('a module sends no signal to %s', async (_, body) => {
  let received = 0;
  const receive = (): void => void (received += 1);
  process.on('SIGUSR2', receive);
  try {
    await expect(execute(await executing(`${body}; ${OK}`))).rejects.toThrow('a module may not send a signal');
    // A signal is delivered in a later turn of the event loop. A second one, sent here, arrives after it.
    const own = new Promise((resolve) => process.once('SIGUSR1', resolve));
    process.kill(process.pid, 'SIGUSR1');
    await own;
    expect(received).toBe(0);
  } finally {
    process.off('SIGUSR2', receive);
  }
});

test('a module sends signals to the processes that it starts', async () => {
  const worker = await executing(
    `const { spawn } = await import('node:child_process');
     const child = spawn('sleep', ['1000']);
     const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal)));
     process.kill(child.pid, 'SIGTERM');
     return { signal: 'SIGNAL:SUCCESS', exports: { ended: await ended } };`,
  );
  expect((await execute(worker)).exports).toEqual({ ended: 'SIGTERM' });
});

test('what an execution leaves behind never reaches the next one', async () => {
  // In a shared thread, the first execution's timer would fire during the second execution and end it.
  const worker = await executing(
    `const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
     if (memory.payload[0].content === 'waits') await wait(100);
     else setTimeout(() => { throw new Error('late'); }, 50);
     ${OK}`,
  );
  for (const content of ['leaves a timer', 'waits'])
    expect(await worker.execute(memoryOf(content), servicesWith(), new AbortController().signal)).toMatchObject({
      signal: 'SIGNAL:SUCCESS',
    });
});

test('executions that follow each other share a thread', async () => {
  const worker = await executing(
    "globalThis.times = (globalThis.times ?? 0) + 1; return { signal: 'SIGNAL:SUCCESS', exports: { times: globalThis.times } };",
  );
  const seen: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    seen.push((await execute(worker)).exports?.['times']);
  }
  expect(seen).toEqual([1, 2, 3]);
});

test('more executions than threads wait their turn', async () => {
  threads = createModuleThreads(2, 1);
  const worker = await executing(`await new Promise((resolve) => setTimeout(resolve, 5)); ${OK}`);
  const results = await Promise.all(Array.from({ length: 9 }, () => execute(worker)));
  expect(results.map(({ signal }) => signal)).toEqual(Array.from({ length: 9 }, () => 'SIGNAL:SUCCESS'));
});

test('a module that was changed since it was described is not executed', async () => {
  const worker = await executing(`setInterval(() => {}, 1000); ${OK}`);
  await execute(worker);
  await write("export const W = { sideEffects: 'none', execute: () => ({ signal: 'SIGNAL:STOLEN' }) };");
  // The first thread is not used again, because it has an open timer. A new thread would import the changed file.
  await expect(execute(worker)).rejects.toThrow(
    'its module, or a file that it imports, has been changed since the run began',
  );
});

describe('services', () => {
  test('answer across the threads, with callbacks, signals and errors', async () => {
    const said: string[] = [];
    const services = servicesWith({
      progress: (text) => said.push(text),
      files: {
        root: '/r',
        read: (name: string) => Promise.resolve(`content of ${name}`),
        glob: () => Promise.reject(new RoboSmithError('unsafe_path', 'no', { path: 'x' })),
      } as never,
      processes: {
        run: (request: object, signal: AbortSignal, onOutput: (text: string) => void) => {
          onOutput('one');
          onOutput('two');
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve({ request, aborted: true } as never)),
          );
        },
      },
      changePlan: { add: () => Promise.resolve(), written: () => ['a.ts'] },
    });
    const worker = await executing(`
      services.progress('begun');
      const text = await services.files.read('a');
      const failed = await services.files.glob(['*']).catch((error) => [error.name, error.code, error.data]);
      const seen = [];
      const stop = new AbortController();
      const run = await services.processes.run({ argv: ['x'] }, stop.signal, (text) => { seen.push(text); if (seen.length === 2) stop.abort(); });
      await services.changePlan.add(['b.ts']);
      return { signal: 'SIGNAL:SUCCESS', exports: { root: services.files.root, text, failed, seen, run, written: services.changePlan.written(), now: typeof services.clock.now() } };`);
    const { exports } = await execute(worker, services);
    expect(exports).toEqual({
      root: '/r',
      text: 'content of a',
      failed: ['RoboSmithError', 'unsafe_path', { path: 'x' }],
      seen: ['one', 'two'],
      run: { request: { argv: ['x'] }, aborted: true },
      written: ['a.ts'],
      now: 'number',
    });
    expect(said).toEqual(['begun']);
  });

  test('that were called and not awaited are aborted with the execution', async () => {
    const aborted = Promise.withResolvers<string>();
    const services = servicesWith({
      processes: {
        run: (_request: object, signal: AbortSignal) => {
          signal.addEventListener('abort', () => aborted.resolve('aborted'));
          return new Promise<never>(() => undefined);
        },
      },
    });
    await execute(
      await executing(`void services.processes.run({ argv: ['x'] }, new AbortController().signal); ${OK}`),
      services,
    );
    expect(await aborted.promise).toBe('aborted');
  });

  test('do not exist by names that were not offered', async () => {
    const worker = await executing(
      "const { parentPort } = await import('node:worker_threads'); parentPort.postMessage({ kind: 'call', id: 1e9, call: 1, name: 'constructor.constructor', args: [] }); " +
        OK,
    );
    expect(await execute(worker)).toMatchObject({ signal: 'SIGNAL:SUCCESS' });
  });
});

test('checks, opinions and clean-up are executed in threads as well', async () => {
  const worker = await load(`{
    sideEffects: 'non_idempotent',
    where: [],
    sideEffectsOf: (memory) => memory.payload[0].content === 'x' ? 'none' : 'idempotent',
    checkPreconditions(memory) { if (memory.payload[0].content === 'bad') throw new Error('not now'); },
    checkCompletion: ({ payload: [{ content }] }) => content === 'x' ? { signal: 'SIGNAL:FOUND' } : content === 'y' ? null : { kind: content },
    cleanup() { globalThis.stop(); },
    execute: (memory, { progress }) => new Promise((resolve) => { progress('begun'); globalThis.stop = () => resolve({ signal: 'SIGNAL:CLEANED' }); }),
  }`);
  const services = servicesWith();
  expect(await worker.sideEffectsOf?.(memoryOf())).toBe('none');
  expect(await worker.sideEffectsOf?.(memoryOf('y'))).toBe('idempotent');
  expect(await worker.checkPreconditions?.(memoryOf(), services)).toBeUndefined();
  await expect(worker.checkPreconditions?.(memoryOf('bad'), services)).rejects.toThrow('not now');
  const completion = (content: string) => worker.checkCompletion?.(memoryOf(content), services);
  expect(await completion('x')).toMatchObject({ kind: 'done', result: { signal: 'SIGNAL:FOUND' } });
  expect(await completion('y')).toEqual({ kind: 'unknown' });
  for (const kind of ['not_done', 'unknown']) expect(await completion(kind)).toEqual({ kind });
  for (const kind of ['done', 'perhaps']) await expect(completion(kind)).rejects.toThrow(BrokenContract);
  const memory = memoryOf();
  const begun = Promise.withResolvers<null>();
  const reporting = servicesWith({ progress: () => begun.resolve(null) });
  const running = worker.execute(memory, reporting, new AbortController().signal);
  await begun.promise;
  // The cleanup runs in the thread of the execution.
  await worker.cleanup?.(memory, services);
  expect(await running).toMatchObject({ signal: 'SIGNAL:CLEANED' });
});

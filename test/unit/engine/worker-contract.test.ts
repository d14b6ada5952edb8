import { describe, expect, test } from 'vitest';
import { RoboSmithError } from '#protocol/error.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Files, Processes, ProcessRequest } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import { inVirtualTime, manifestOf, oneBlock, row, success, virtualPorts, worker } from './small-workflow.ts';

const RETRY = { recovery: { '*': [{ policy: 'retry', max_attempts: 2 }] } };

const runWith = (manifest: WorkflowManifest, workers: Readonly<Record<string, Worker>>) => {
  const ports = virtualPorts();
  return inVirtualTime(ports, new Orchestrator(manifest, { workers, ports }).execute('Main'));
};

describe('checkPreconditions', () => {
  test('throws: nothing is executed, the reason is precondition_failed, the signal ERROR', async () => {
    verifies('workers.contract.preconditions');
    let executed = 0;
    const picky = worker(
      () => {
        executed += 1;
        return success;
      },
      { checkPreconditions: () => Promise.reject(new RoboSmithError('precondition_failed', 'the tree is dirty')) },
    );
    const response = await runWith(oneBlock(), { 'Worker:X': picky });
    expect(response).toMatchObject({
      success: false,
      reason: 'precondition_failed',
      details: { message: 'Worker:X: the tree is dirty', signal: 'SIGNAL:ERROR' },
    });
    expect(response.data).toEqual({ payload: [], exports: {} });
    expect(executed).toBe(0);
  });
});

describe('the AbortSignal of an execution', () => {
  const untilAborted = (aborted: string[]): Worker =>
    worker(
      ({ system }, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted.push(`${system.block}@${system.attempt}`);
            resolve(success);
          }),
        ),
    );

  test('fires on cancel, in every branch', async () => {
    verifies('workers.contract.abort-signal');
    const aborted: string[] = [];
    const forks = manifestOf({
      Main: { entry_block: 'A', blocks: { A: { worker: 'first', transitions: [row('SUCCESS', 'FORK:Sub,Sub')] } } },
      Sub: { entry_block: 'A', blocks: { A: { worker: 'Worker:X' } } },
    });
    let waiting = 0;
    const onEvent = ({ type }: RoboSmithEvent): void => void (waiting += Number(type === 'block.started'));
    const workers = { first: worker(() => success), 'Worker:X': untilAborted(aborted) };
    const run = new Orchestrator(forks, { workers, ports: virtualPorts(), onEvent }).start('Main');
    if (!('settled' in run)) throw new Error('not started');
    await expect.poll(() => waiting).toBe(3);
    run.cancel();
    expect((await run.settled()).reason).toBe('cancelled');
    expect(aborted).toEqual(['Sub__A@1', 'Sub__A@1']);
  });
});

describe('side effects', () => {
  test.each([undefined, 'whatever'])('%j counts as non_idempotent', async (sideEffects) => {
    verifies('workers.contract.unknown-side-effects');
    const boom = worker(() => {
      throw new Error('boom');
    });
    const mine = { ...boom, sideEffects } as unknown as Worker;
    const manifest = manifestOf({ Main: { entry_block: 'A', blocks: { A: { worker: 'mine', ...RETRY } } } });
    expect(await runWith(manifest, { mine })).toMatchObject({ reason: 'unsafe_to_retry', path: [{ attempts: 1 }] });
  });
});

describe('services', () => {
  const inMemory = () => {
    const written: Record<string, string> = {};
    const asked: ProcessRequest[] = [];
    const files: Files = {
      root: '/not/there/at/all',
      read: (path) => Promise.resolve(written[path] ?? null),
      readBytes: () => Promise.resolve({ kind: 'missing' }),
      settle: () => Promise.resolve(),
      ignoresCase: () => Promise.resolve(false),
      locate: (path) => Promise.resolve(path),
      writeAll: (all) => {
        for (const { path, content } of all) written[path] = content.toString();
        return Promise.resolve();
      },
      glob: () => Promise.resolve([]),
    };
    const processes: Processes = {
      run: (request) => {
        asked.push(request);
        return Promise.resolve({ exitCode: 0, output: 'fine', durationMs: 7, ended: 'exited', error: null });
      },
    };
    return { written, asked, ports: virtualPorts({ files, processes }) };
  };

  test('are all that a worker reaches the outside with: with other ones nothing real is touched', async () => {
    verifies('workers.contract.services-only');
    const manifest = manifestOf(
      {
        Main: {
          entry_block: 'Say',
          blocks: {
            Say: { worker: 'Worker:X', transitions: [row('SUCCESS', 'JUMP:Write')] },
            Write: {
              worker: 'Internal:FileSystemWriter',
              artifact: 'src/a.ts',
              transitions: [row('SUCCESS', 'JUMP:Test')],
            },
            Test: { worker: 'Internal:TestRunner', transitions: [row('SUCCESS', 'JUMP:Other')] },
            Other: { worker: 'Worker:C' },
          },
        },
      },
      {
        commands: { test: ['no-such-program', 'test'] },
        workers: {
          'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' },
          'Worker:C': { kind: 'command', command: ['no-such-program', 'docs'] },
        },
      },
    );
    const { written, asked, ports } = inMemory();
    const code = { type: 'CODE_OUTPUT', content: '```ts src/a.ts\nx\n```' };
    const says = worker(() => ({ ...success, append: [code] }));
    const response = await new Orchestrator(manifest, { workers: { 'Worker:X': says }, ports }).execute('Main');
    expect(response.success).toBe(true);
    expect(written).toEqual({ 'src/a.ts': 'x\n' });
    expect(asked.map(({ argv, cwd }) => [argv, cwd])).toEqual([
      [['no-such-program', 'test'], '/not/there/at/all'],
      [['no-such-program', 'docs'], '/not/there/at/all'],
    ]);
    expect(response.data.payload.slice(-2).map(({ content }) => content)).toEqual(['fine', 'fine']);
  });

  test('are the same for a worker of the caller', async () => {
    verifies('workers.contract.services-only');
    const { written, ports } = inMemory();
    const writes: Worker = {
      sideEffects: 'idempotent',
      execute: async (_memory, { files, clock }) => {
        await files?.writeAll([{ path: 'now', content: String(clock.now()) }]);
        return success;
      },
    };
    await new Orchestrator(oneBlock(), { workers: { 'Worker:X': writes }, ports }).execute('Main');
    expect(written).toEqual({ now: '946684800000' });
  });
});

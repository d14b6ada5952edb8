import { describe, expect, test } from 'vitest';
import { Orchestrator } from '../../../src/index.ts';
import type { Run } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';
import { EPOCH, inVirtualTime, oneBlock, success, type VirtualPorts, virtualPorts } from './small-workflow.ts';

function started(ports: VirtualPorts, worker: Worker, fields: object = {}): Run {
  const run = new Orchestrator(oneBlock(fields), { workers: { 'Worker:X': worker }, ports }).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  return run;
}

const untilStopped = (signal: AbortSignal): Promise<typeof success> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(success)));

const forEver = (): Promise<never> => new Promise(() => undefined);

describe('a worker that is interrupted', () => {
  test('cleans up once, with its memory, before the run has ended', async () => {
    verifies('workers.contract.cleanup');
    const log: string[] = [];
    const ports = virtualPorts();
    const run = started(ports, {
      sideEffects: 'idempotent',
      execute: (_memory, _services, signal) => untilStopped(signal),
      cleanup: ({ system }) => {
        log.push(`clean up ${system.step}`);
        return Promise.resolve();
      },
    });
    run.interrupt();
    const response = await inVirtualTime(ports, run.settled());
    log.push(response.reason ?? '');
    expect(log).toEqual([`clean up ${run.id}/Main__A#1`, 'interrupted']);
  });

  test('has five seconds for it, also when it does not listen', async () => {
    verifies('workers.contract.cleanup');
    const ports = virtualPorts();
    let asked = 0;
    const run = started(ports, {
      sideEffects: 'idempotent',
      execute: forEver,
      cleanup: () => {
        asked += 1;
        return forEver();
      },
    });
    run.interrupt();
    const response = await inVirtualTime(ports, run.settled());
    expect([response.reason, asked]).toEqual(['interrupted', 1]);
    // The worker never ended, so the stop took the full grace period of the worker's processes.
    expect(ports.clock.now() - EPOCH).toBe(6_500);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no'))],
    [
      'throws at once',
      () => {
        throw new Error('no');
      },
    ],
  ])('and whose clean-up %s ends like any other', async (_name, cleanup) => {
    const ports = virtualPorts();
    const run = started(ports, {
      sideEffects: 'idempotent',
      execute: (_memory, _services, signal) => untilStopped(signal),
      cleanup,
    });
    run.cancel();
    expect((await inVirtualTime(ports, run.settled())).reason).toBe('cancelled');
    expect(ports.clock.now()).toBe(EPOCH);
  });

  test('by its time limit cleans up too, before it is executed again', async () => {
    const log: string[] = [];
    const ports = virtualPorts();
    const run = started(
      ports,
      {
        sideEffects: 'idempotent',
        execute: ({ system }, _services, signal) => {
          log.push(`execute ${system.attempt}`);
          return system.attempt === 1 ? untilStopped(signal) : Promise.resolve(success);
        },
        cleanup: ({ system }) => {
          log.push(`clean up ${system.attempt}`);
          return Promise.resolve();
        },
      },
      { timeout_ms: 100, recovery: { timeout: [{ policy: 'retry', max_attempts: 2 }] } },
    );
    expect((await inVirtualTime(ports, run.settled())).success).toBe(true);
    expect(log).toEqual(['execute 1', 'clean up 1', 'execute 2']);
  });
});

test('a worker that ends by itself has nothing to clean up', async () => {
  const ports = virtualPorts();
  let cleaned = false;
  const run = started(ports, {
    sideEffects: 'idempotent',
    execute: () => Promise.resolve(success),
    cleanup: () => {
      cleaned = true;
      return Promise.resolve();
    },
  });
  expect((await inVirtualTime(ports, run.settled())).success).toBe(true);
  expect(cleaned).toBe(false);
});

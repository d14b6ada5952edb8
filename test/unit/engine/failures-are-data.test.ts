import { expect, test } from 'vitest';
import { failureMessage } from '#cli/print/why-it-failed.ts';
import type { Files } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';
import { manifestOf, oneBlock, row, success, virtualPorts, worker } from './small-workflow.ts';

const executes = (execute: () => unknown, more: Partial<Worker> = {}): Worker =>
  worker(execute as () => Promise<never>, more);

const throwing = (value: unknown) => (): never => {
  throw value;
};

const noText = {
  toString: throwing(new Error('no text')),
};

const workers: readonly (readonly [string, Worker])[] = [
  ['throws an error', executes(throwing(new Error('boom')))],
  ['throws a string', executes(throwing('boom'))],
  ['throws nothing', executes(throwing(undefined))],
  ['throws what has no text', executes(throwing(noText))],
  ['throws what has no prototype', executes(throwing(Object.create(null)))],
  ['throws before it is a promise', { sideEffects: 'none', execute: throwing(new Error('boom')) }],
  ['returns nothing', executes(() => undefined)],
  ['returns a function', executes(() => () => success)],
  ['returns a getter that throws', executes(() => Object.defineProperty({}, 'signal', { get: throwing('x') }))],
  ['fails its precondition', executes(() => success, { checkPreconditions: throwing(new Error('not yet')) })],
];

test.each(workers)('a worker that %s', async (_what, faulty) => {
  verifies('engine.run.failures-are-data');
  const services = { workers: { 'Worker:X': faulty }, ports: virtualPorts() };
  const response = await new Orchestrator(oneBlock(), services).execute('Main');
  expect(response.success).toBe(false);
  expect(response.reason).not.toBeNull();
  expect(response.metadata.steps).toBe(1);
});

const brokenFiles: Files = {
  root: '/nowhere',
  read: () => Promise.reject(new Error('EIO')),
  readBytes: () => Promise.reject(new Error('EIO')),
  settle: () => Promise.reject(new Error('EIO')),
  ignoresCase: () => Promise.reject(new Error('EIO')),
  locate: () => Promise.reject(new Error('EIO')),
  writeAll: () => Promise.reject(new Error('EIO')),
  glob: () => Promise.reject(new Error('EIO')),
};

test('files that can not be read, listeners and conditions that throw, manifests and ids that are wrong', async () => {
  verifies('engine.run.failures-are-data');
  const fine = { 'Worker:X': worker(() => success) };
  const ports = virtualPorts({ files: brokenFiles });
  const unreadable = new Orchestrator(oneBlock({ artifact: 'a.ts' }), { workers: fine, ports });
  expect((await unreadable.execute('Main')).success).toBe(false);
  const deaf = new Orchestrator(oneBlock(), { workers: fine, ports, onEvent: throwing(new Error('deaf')) });
  expect((await deaf.execute('Main')).success).toBe(true);
  const unsure = new Orchestrator(
    oneBlock({ transitions: [{ on_signal: 'SIGNAL:SUCCESS', condition: { id: 'my.own' }, action: 'RETURN' }] }),
    { workers: fine, ports, conditions: { 'my.own': throwing(new Error('no idea')) } },
  );
  expect((await unsure.execute('Main')).success).toBe(false);
  expect((await deaf.execute('Nowhere')).reason).toBe('unknown_node');
  for (const broken of [{}, { nodes: { Main: null } }])
    expect((await new Orchestrator(broken as never).execute('Main')).reason).toBe('invalid_graph');
});

test.each([
  [null, {}, 'manifest must be a parsed manifest; null was given.'],
  [[], {}, 'manifest must be a parsed manifest; an array was given.'],
  ['text', {}, 'manifest must be a parsed manifest; a string was given.'],
  [
    oneBlock(),
    { workers: { 'Worker:X': { sideEffects: 'none' } } },
    'The worker "Worker:X" must be an object with a function "execute"; an object was given.',
  ],
])('a slip of the caller is an error of usage: %#', (manifest, services, message) => {
  expect(() => new Orchestrator(manifest as never, services as never)).toThrow(
    expect.objectContaining({ code: 'usage', message }),
  );
});

test('a run that reaches its limit names the node that calls or forks itself', async () => {
  const again = manifestOf({
    Main: { entry_block: 'a', blocks: { a: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Fork')] } } },
    Fork: {
      entry_block: 'b',
      blocks: {
        b: {
          worker: 'Worker:X',
          transitions: [row('SUCCESS', 'FORK:Other,Other'), row('ERROR', 'RETURN')],
        },
      },
    },
    Other: { entry_block: 'c', blocks: { c: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Fork')] } } },
  });
  const services = { workers: { 'Worker:X': worker(() => success) }, ports: virtualPorts() };
  const response = await new Orchestrator({ ...again, max_run_steps: 40 }, services).execute('Main');
  expect([response.reason, response.details['recursive']]).toEqual(['max_run_steps_exceeded', 'Other']);
  expect(failureMessage(response)).toBe(
    'The run reached its limit of 40 steps. The node Other calls or forks itself, directly or through other nodes.',
  );
});

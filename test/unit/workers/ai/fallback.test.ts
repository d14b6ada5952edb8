import { expect, test } from 'vitest';
import type { AiOrder, AiReply, AiService } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Services } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { aiWorker } from '#workers/ai/ai-worker.ts';
import { compile, Orchestrator, type WorkflowManifest } from '../../../../src/index.ts';

const RULES = { outputType: 'CODE_OUTPUT', validation: null, validate: null, edits: null } as const;
const USAGE = { input: 40, output: 7, cached: 0, reasoning: 0, source: 'provider' } as const;

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const manifest = (worker: object) =>
  ({
    version: 1,
    pools: { big: { keys: ['main'] }, spare: { keys: ['other'] } },
    workers: { 'Worker:Says': { kind: 'ai', provider: 'openai', model: 'first', pool: 'big', ...worker } },
    nodes: {
      Main: {
        entry_block: 'Say',
        blocks: {
          Say: {
            worker: 'Worker:Says',
            contract: 'Say it.',
            transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'RETURN')],
          },
        },
      },
    },
  }) as WorkflowManifest;

const answered = (more: object = {}): AiReply => ({
  ok: true,
  call: 'c1',
  text: 'Done.\nSIGNAL:SUCCESS',
  finish: 'stop',
  usage: USAGE,
  costMicroUsd: 100,
  key: 'main',
  ...more,
});

type Failed = Extract<AiReply, { readonly ok: false }>;

const failed = (kind: Failed['kind']): AiReply => ({
  ok: false,
  call: 'c0',
  kind,
  message: `it is ${kind}`,
  usage: USAGE,
  costMicroUsd: 100,
});

const waits = (why: string): RoboSmithError => new RoboSmithError('waits', 'no key can be used now', { why, until: 5 });

type Outcome = AiReply | RoboSmithError;

async function run(worker: object, outcomes: readonly Outcome[], contexts: Readonly<Record<string, number>> = {}) {
  const orders: AiOrder[] = [];
  const events: RoboSmithEvent[] = [];
  const ai: AiService = {
    call: (order) => {
      const outcome = outcomes[orders.length] ?? answered();
      orders.push(order);
      return outcome instanceof RoboSmithError ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
    contextTokens: ({ model }) => Promise.resolve(contexts[model] ?? null),
  };
  const inner = aiWorker(RULES);
  const says: Worker = {
    sideEffects: 'none',
    execute: (memory, services: Services, signal) => inner.execute(memory, { ...services, ai }, signal),
  };
  const response = await new Orchestrator(manifest(worker), {
    workers: { 'Worker:Says': says },
    onEvent: (event) => events.push(event),
  }).execute('Main', { input: 'Hello. '.repeat(100) });
  const asked = orders.map(
    ({ request: { provider, model, baseUrl, temperature }, pool, waits: mayWait, insteadOf }) => ({
      to: `${provider}/${model}`,
      at: baseUrl,
      temperature,
      pool,
      mayWait: mayWait ?? true,
      why: insteadOf === undefined ? null : `${insteadOf.model}: ${insteadOf.why}`,
    }),
  );
  return { response, asked, events };
}

const SECOND = { model: 'second' };

test.each<[string, Outcome, string]>([
  ['all keys are cooling', waits('quota'), 'exhausted'],
  ['no key can be used', waits('keys'), 'exhausted'],
  ['the prompt is too long', failed('context_length'), 'context_length'],
  ['the filter refuses the prompt', failed('content_filter'), 'content_filter'],
  ['the filter ends the answer', answered({ finish: 'content_filter' }), 'content_filter'],
])('another model is asked when %s', async (_what, outcome, why) => {
  const { response, asked } = await run({ fallback: [SECOND] }, [outcome]);
  expect(response.success).toBe(true);
  expect(asked).toMatchObject([
    { to: 'openai/first', at: null, pool: 'big', mayWait: false, why: null },
    { to: 'openai/second', at: null, pool: 'big', mayWait: true, why: `first: ${why}` },
  ]);
});

test.each<[object, object]>([
  [{ pool: 'spare' }, { to: 'openai/first', at: null, pool: 'spare', temperature: null }],
  [{ params: { temperature: 1 } }, { to: 'openai/first', pool: 'big', temperature: 1 }],
  [
    { provider: 'anthropic', model: 'claude' },
    { to: 'anthropic/claude', at: null, pool: null },
  ],
  [
    { provider: 'local', base_url: 'http://127.0.0.1:1/v1' },
    { to: 'openai-compatible/first', at: 'http://127.0.0.1:1/v1', pool: null },
  ],
])('an alternative %j replaces what it names', async (alternative, expected) => {
  const { asked } = await run({ fallback: [alternative] }, [waits('quota')]);
  expect(asked[1]).toMatchObject(expected);
});

test('a prompt that no cut makes short enough goes to a model with more room, and nothing is sent to the first', async () => {
  const { response, asked } = await run({ fallback: [SECOND] }, [], { first: 20, second: 100_000 });
  expect(response.success).toBe(true);
  expect(asked.map(({ to, why }) => [to, why])).toEqual([['openai/second', 'first: context_length']]);
});

test('alternatives are tried in order, and what the unused calls cost is counted', async () => {
  const { asked, events } = await run({ fallback: [SECOND, { model: 'third' }] }, [
    failed('content_filter'),
    waits('quota'),
  ]);
  expect(asked.map(({ to }) => to)).toEqual(['openai/first', 'openai/second', 'openai/third']);
  expect(events.find(({ type }) => type === 'block.finished')).toMatchObject({
    stats: { calls: 2, cost_micro_usd: 200, tokens_used: { input: 80, output: 14 } },
  });
});

test.each<[string, Outcome]>([
  ['a used-up budget', waits('budget')],
  ['a server error', failed('server_error')],
])('%s is no reason to ask another model', async (_what, outcome) => {
  const { response, asked } = await run({ fallback: [SECOND] }, [outcome]);
  expect(asked.map(({ to }) => to)).toEqual(['openai/first']);
  expect(response.success).toBe(false);
});

test.each<[string, object, string]>([
  ['waits', {}, 'halted'],
  ['waits', { on_exhausted: 'wait', fallback: [SECOND] }, 'halted'],
  ['fails', { on_exhausted: 'fail' }, 'worker_error'],
  ['fails', { on_exhausted: 'fail', fallback: [SECOND] }, 'worker_error'],
])('where no key is left, the run %s: %j', async (_what, worker, reason) => {
  const { response } = await run(worker, [waits('quota'), waits('quota')]);
  expect(response.reason).toBe(reason);
});

test('an alternative of a pool that is not there is an error', () => {
  const text = JSON.stringify(manifest({ fallback: [{ pool: 'none' }] }));
  const { diagnostics } = compile([{ path: 'workflows.json', text }]);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code: 'RS2020', pointer: '/workers/Worker:Says/fallback/0/pool' },
  ]);
});

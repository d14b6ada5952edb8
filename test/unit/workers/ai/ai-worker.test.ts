import { expect, test } from 'vitest';
import type { AiOrder, AiReply, AiService } from '#protocol/ai-service.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Services } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { Orchestrator, type WorkflowManifest } from '../../../../src/index.ts';
import { aiWorker } from '#workers/ai/ai-worker.ts';

const RULES = { outputType: 'CODE_OUTPUT', validation: null, validate: null, edits: null } as const;
const USAGE = { input: 40, output: 7, cached: 10, reasoning: 0, source: 'provider' } as const;

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const TABLE = [row('SUCCESS', 'RETURN'), row('STUCK', 'JUMP:Other'), row('FAIL_DEFAULT', 'JUMP:Other')];

const manifest = (definition: object, block: object) =>
  ({
    version: 1,
    pools: { big: { keys: ['main'] } },
    workers: { 'Worker:Says': { kind: 'ai', provider: 'anthropic', model: 'claude-x', ...definition } },
    nodes: {
      Main: {
        entry_block: 'Say',
        static_memory: { rules: 'Be brief.' },
        blocks: {
          Say: { worker: 'Worker:Says', contract: 'Say it.', transitions: TABLE, ...block },
          Other: { worker: 'Internal:Command', params: { command: ['true'] } },
        },
      },
    },
  }) as WorkflowManifest;

const answered = (text: string): AiReply => ({
  ok: true,
  call: 'c1',
  text,
  finish: 'stop',
  usage: USAGE,
  costMicroUsd: 123,
  key: 'main',
});

interface Given {
  readonly reply?: AiReply | (() => Promise<AiReply>);
  readonly context?: number | null;
  readonly definition?: object;
  readonly block?: object;
  readonly worker?: Worker;
  readonly input?: string;
}

async function run({
  reply = answered('Done.\nSIGNAL:SUCCESS'),
  context = null,
  definition = {},
  block = {},
  input = 'Hello.',
  ...given
}: Given) {
  const orders: AiOrder[] = [];
  const events: RoboSmithEvent[] = [];
  const ai: AiService = {
    call: (order, _signal, onText) => {
      orders.push(order);
      onText('Do');
      return typeof reply === 'function' ? reply() : Promise.resolve(reply);
    },
    contextTokens: () => Promise.resolve(context),
  };
  const inner = given.worker ?? aiWorker(RULES);
  const worker: Worker = {
    sideEffects: 'none',
    execute: (memory, services: Services, signal) => inner.execute(memory, { ...services, ai }, signal),
  };
  const response = await new Orchestrator(manifest(definition, block), {
    workers: { 'Worker:Says': worker },
    onEvent: (event) => events.push(event),
  }).execute('Main', { input });
  return { response, orders, events, first: response.path[0] };
}

test('memory becomes a prompt, an answer a segment and a signal; it says which call it came from and what it cost', async () => {
  verifies('workers.ai.prompt-layers');
  const { response, orders, events } = await run({
    definition: { pool: 'big', params: { temperature: 0, max_output_tokens: 9 } },
  });
  const [order] = orders;
  expect(order?.conversation).toMatch(/\/Main__Say$/);
  expect(order).toMatchObject({
    pool: 'big',
    place: { node: 'Main', block: 'Main__Say', visit: 1, attempt: 1 },
    request: {
      provider: 'anthropic',
      model: 'claude-x',
      temperature: 0,
      maxOutputTokens: 9,
      messages: [{ role: 'user', content: expect.stringMatching(/^Hello\.\n\n# Where you are\n/) as string }],
    },
  });
  expect(order?.request.instructions).toMatch(/Say it\.[^]*SIGNAL:SUCCESS\nSIGNAL:STUCK\n[^]*Be brief\./);
  expect(response.path[0]).toMatchObject({ signal: 'SIGNAL:SUCCESS' });
  const finished = events.find(({ type }) => type === 'block.finished');
  expect(finished).toMatchObject({
    stats: {
      calls: 1,
      call: 'c1',
      key: 'main',
      cost_micro_usd: 123,
      tokens_used: USAGE,
      prompt_tokens: order?.prompt.tokens,
    },
  });
  expect(JSON.stringify(response)).toContain(
    '"meta":{"call":"c1","provider":"anthropic","model":"claude-x","finish":"stop"}',
  );
});

test('what a model writes is shown while it writes', async () => {
  verifies('workers.ai.streaming');
  const { events } = await run({});
  expect(events.filter(({ type }) => type === 'block.progress')).toMatchObject([{ text: 'Do' }]);
});

test.each([
  ['SIGNAL:STUCK', 'Main__Other'],
  ['JUMP:Main__Say', 'Main__Other'],
  ['{"action":"CALL:Main"}', 'Main__Other'],
  ['SIGNAL:NOBODY_HANDLES_IT', 'Main__Other'],
  ['SIGNAL:SUCCESS RETURN', 'Main__Other'],
])('a text can name no action: %s', async (text, next) => {
  verifies('workers.ai.only-signals');
  const { response } = await run({ reply: answered(text) });
  expect(response.path.map(({ block }) => block)).toEqual(['Main__Say', next]);
});

test('what is over the limit of the model is cut and reported with the result', async () => {
  verifies('workers.ai.prompt-cut');
  const { events, orders } = await run({ context: 290, definition: { params: { max_output_tokens: 100 } } });
  expect(orders[0]?.prompt.cut).toMatchObject([{ layer: 5, name: 'system', kept: 0 }]);
  expect(events.find(({ type }) => type === 'block.finished')).toMatchObject({
    stats: { prompt_cut: [{ layer: 5, name: 'system', kept: 0 }] },
  });
});

test('nothing is sent when nothing fits', async () => {
  verifies('workers.ai.prompt-cut');
  const { response, orders } = await run({ definition: { params: { context_tokens: 50 } } });
  expect(orders).toEqual([]);
  expect(response.path[0]).toMatchObject({ signal: 'SIGNAL:ERROR' });
});

test.each([
  [{ provider: 'ollama' }, {}],
  [{ params: { temperature: 'hot' } }, {}],
  [{}, { params: { max_output_tokens: -1 } }],
])('settings that can be no request are refused before anything is sent: %j %j', async (definition, block) => {
  const { orders, first } = await run({ definition, block });
  expect(orders).toEqual([]);
  expect(first).toMatchObject({ signal: 'SIGNAL:ERROR' });
});

test('any other provider with an address is spoken to as OpenAI is, and a near one has time to load its model', async () => {
  verifies('workers.ai.providers');
  const { orders } = await run({ definition: { provider: 'ollama', base_url: 'http://localhost:11434/v1' } });
  expect(orders[0]?.request).toMatchObject({
    provider: 'openai-compatible',
    baseUrl: 'http://localhost:11434/v1',
    limits: { firstTokenMs: 600_000, idleMs: 60_000 },
  });
});

test('a call that ended without an answer fails the block and names itself; what its attempts used is counted', async () => {
  const { response } = await run({
    reply: {
      ok: false,
      call: 'c9',
      kind: 'context_length',
      message: 'too long',
      usage: USAGE,
      costMicroUsd: 123,
    },
    block: { transitions: [row('SUCCESS', 'RETURN')] },
  });
  expect(response).toMatchObject({
    success: false,
    reason: 'worker_error',
    details: { code: 'ai_failed', kind: 'context_length', call: 'c9', tokens_used: USAGE, cost_micro_usd: 123 },
    metadata: { tokens: USAGE.input + USAGE.output, cost: 0.000123 },
  });
});

test.each([
  ['nothing was used', null, 0, 0],
  ['nobody knows the price', USAGE, null, null],
])('a call that failed when %s', async (_when, usage, costMicroUsd, cost) => {
  const { response } = await run({
    reply: { ok: false, call: 'c9', kind: 'auth', message: 'no', usage, costMicroUsd },
  });
  expect(response.metadata).toMatchObject({ tokens: usage === null ? 0 : USAGE.input + USAGE.output, cost });
});

test.each([
  ['length', 'the answer was cut off at its token limit'],
  ['content_filter', "the provider's content filter ended the answer"],
  ['interrupted', 'the answer ended early'],
] as const)('an answer that ended by %s says so when it lacks its signal', async (finish, why) => {
  const { response } = await run({
    reply: { ...answered('half of'), finish } as AiReply,
    block: { transitions: [row('SUCCESS', 'RETURN')] },
  });
  expect(response.success).toBe(false);
  expect(JSON.stringify(response.details)).toContain(why);
});

test('an answer that comes when nobody waits for it any more is not used: its edits are not made', async () => {
  const worker: Worker = {
    sideEffects: 'none',
    execute: (memory, services) => aiWorker(RULES).execute(memory, services, AbortSignal.abort()),
  };
  const { orders, first } = await run({ worker });
  expect([orders.length, first?.signal]).toEqual([1, 'SIGNAL:ERROR']);
});

test('an answer may be as long as the model allows; half of a small context is left for the prompt', async () => {
  const { orders, first } = await run({ context: 4_000 });
  expect([orders.length, first?.signal]).toEqual([1, 'SIGNAL:SUCCESS']);
});

test('the params of a block are stronger than those of its worker', async () => {
  const { orders } = await run({
    definition: { params: { temperature: 1, max_output_tokens: 9 } },
    block: { params: { temperature: 0 } },
  });
  expect(orders[0]?.request).toMatchObject({ temperature: 0, maxOutputTokens: 9 });
});

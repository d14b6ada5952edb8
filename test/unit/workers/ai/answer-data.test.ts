import { describe, expect, test } from 'vitest';
import { validatorOf } from '#engine/schemas/schema-validators.ts';
import type { AiOrder, AiReply, AiService, KnownAnswer } from '#protocol/ai-service.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, WorkerResult } from '#protocol/worker.ts';
import { aiWorker } from '#workers/ai/ai-worker.ts';
import { readAnswer } from '#workers/ai/read-answer.ts';
import { choicesOf } from '#workers/ai/render-prompt.ts';
import { verifies } from '../../../e2e/verifies.ts';

const SCHEMA = {
  type: 'object',
  required: ['risk'],
  properties: { risk: { enum: ['low', 'high'] }, note: { type: 'string', pattern: '^(a+)+$' }, 'system.x': {} },
} as const;
const ANSWER = { schema: SCHEMA };
const RULES = { outputType: 'REVIEW', validation: null, validate: validatorOf(SCHEMA), edits: null, answer: ANSWER };

const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\``;
const read = (text: string): WorkerResult => readAnswer(text, RULES);

describe('the data of an answer', () => {
  test.each([
    ['a fenced block', `Text.\n${fenced('{"risk":"low"}')}\nSIGNAL:FAILURE`, 'SIGNAL:FAILURE', { risk: 'low' }],
    [
      'the last of two',
      `${fenced('{"risk":"low"}')}\n${fenced('{"risk":"high"}')}\nSIGNAL:SUCCESS`,
      'SIGNAL:SUCCESS',
      { risk: 'high' },
    ],
    [
      'the last that is JSON',
      `${fenced('{"risk":"low"}')}\n${fenced('not JSON')}\nSIGNAL:SUCCESS`,
      'SIGNAL:SUCCESS',
      { risk: 'low' },
    ],
    ['the text before the signal', '{"risk":"high"}\n\n**SIGNAL:FAILURE**\n', 'SIGNAL:FAILURE', { risk: 'high' }],
    ['the whole text', '{"risk":"high"}', 'SIGNAL:SUCCESS', { risk: 'high' }],
  ])('is %s', (_what, text, signal, exports) => {
    verifies('decisions.verdicts.10');
    const { append, ...result } = read(text);
    expect(result).toEqual({ signal, exports });
    expect(append).toEqual([
      { type: 'REVIEW', content: text },
      { type: 'ANSWER_DATA', content: JSON.stringify(exports) },
    ]);
  });

  test('exports what the schema declares at its top level, and no more', () => {
    const { exports, append } = read(fenced('{"risk":"low","note":"aaa","other":1}'));
    expect(exports).toEqual({ risk: 'low', note: 'aaa' });
    expect(append?.at(-1)?.content).toBe('{"risk":"low","note":"aaa","other":1}');
  });

  test('of a value that is no object, or of a schema without properties, exports nothing', () => {
    const rules = { ...RULES, validate: validatorOf(true), answer: { schema: true } };
    expect(readAnswer('[1]\nSIGNAL:SUCCESS', rules).exports).toBe(undefined);
    expect(readAnswer('{"a":1}\nSIGNAL:SUCCESS', rules).exports).toBe(undefined);
  });

  test.each([
    ['text only', 'Fine.\nSIGNAL:SUCCESS', /^the answer holds no JSON/],
    ['brackets in a sentence', 'It is {"risk":"low"}, I think.\nSIGNAL:SUCCESS', /^the answer holds no JSON/],
    ['another value', fenced('{"risk":"none"}'), /^\/risk must be equal to one of the allowed values$/],
    [
      'a key that would set a prototype',
      fenced('{"risk":"low","a":{"__proto__":1}}'),
      /^the JSON has the key "__proto__"$/,
    ],
    ['65 levels', fenced(`{"risk":"low","a":${'['.repeat(64)}${']'.repeat(64)}}`), /nested deeper than 64 levels/],
    ['100,000 levels', fenced(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /nested deeper than 64 levels/],
    [
      'too much',
      fenced(`{"risk":"low","a":"${'x'.repeat(1_000_000)}"}`),
      /^the answer holds no JSON of at most 1000000/,
    ],
    ['a costly pattern', fenced(`{"risk":"low","note":"${'a'.repeat(50_000)}!"}`), /^\/note must match pattern/],
  ])('with %s is refused', (_what, text, problem) => {
    const { signal, append, exports, answerProblem } = read(text);
    expect([signal, exports, append?.[1]?.type]).toEqual(['SIGNAL:VALIDATION_FAIL', undefined, 'VALIDATION_ERROR']);
    expect(answerProblem).toMatch(problem);
  });

  test('with 64 levels is taken', () => {
    expect(read(fenced(`{"risk":"low","a":${'['.repeat(63)}${']'.repeat(63)}}`)).signal).toBe('SIGNAL:SUCCESS');
  });
});

const block = (more: Partial<GraphBlock> = {}): GraphBlock =>
  ({
    id: 'Main__Look',
    worker: 'Worker:Looks',
    params: {},
    validation: null,
    answer: ANSWER,
    recovery: {},
    transitions: [
      { signal: 'SIGNAL:SUCCESS', means: 'nothing to fix', row: 0 },
      { signal: 'SIGNAL:FAIL_DEFAULT', means: 'something\nmust be fixed', row: 1 },
    ],
    ...more,
  }) as unknown as GraphBlock;

const MEMORY = {
  payload: [],
  contract: { persona: null, contract: 'Look.', signals: ['SIGNAL:SUCCESS'] },
  inherited: {},
  artifact: { files: [], slices: [] },
  system: { run: 'r1', node: 'Main', block: 'Main__Look', visit: 1, frame: '/' },
  exports: {},
  returned: [],
} as unknown as BlockMemory;

const reply = (text: string, costMicroUsd: number | null = 5): AiReply => ({
  ok: true,
  call: `call of ${text.length}`,
  text,
  finish: 'stop',
  usage: { input: 10, output: 2, cached: 0, reasoning: 0, source: 'provider' },
  costMicroUsd,
  key: 'main',
});

function scene(replies: readonly AiReply[], own: GraphBlock = block(), known: KnownAnswer | null = null) {
  const orders: AiOrder[] = [];
  const ai: AiService = {
    call: (order) => {
      orders.push(order);
      const next = replies[orders.length - 1];
      return next === undefined ? Promise.reject(new Error('asked too often')) : Promise.resolve(next);
    },
    known: () => Promise.resolve(known),
    contextTokens: () => Promise.resolve(null),
  };
  const services = {
    ai,
    block: own,
    definition: { name: 'Worker:Looks', settings: { provider: 'anthropic', model: 'm' } },
    files: null,
    progress: () => undefined,
    clock: { now: () => 0 },
  } as unknown as Services;
  const worker = aiWorker(RULES);
  return {
    orders,
    execute: () => worker.execute(MEMORY, services, new AbortController().signal),
    complete: () => worker.checkCompletion?.(MEMORY, services),
  };
}

const BAD = `${fenced('{"risk":"none"}')}\nSIGNAL:FAILURE`;
const GOOD = `${fenced('{"risk":"high"}')}\nSIGNAL:FAILURE`;

describe('a model whose data is not valid', () => {
  test('is asked again in the same conversation, and both answers are paid', async () => {
    verifies('decisions.verdicts.11');
    const { orders, execute } = scene([reply(BAD), reply(GOOD)]);
    const result = await execute();
    const [first, second] = orders.map(({ request }) => request);
    expect(second?.messages).toEqual([
      ...(first?.messages ?? []),
      { role: 'assistant', content: BAD },
      {
        role: 'user',
        content:
          'The data of your answer is not valid:\n/risk must be equal to one of the allowed values\n\nGive your whole answer again, with the same verdict and with data that fits the schema.',
      },
    ]);
    expect(second?.instructions).toBe(first?.instructions);
    expect([result.signal, result.exports]).toEqual(['SIGNAL:FAILURE', { risk: 'high' }]);
    expect(result.append?.map(({ type }) => type)).toEqual(['REVIEW', 'ANSWER_DATA']);
    expect(result.stats).toMatchObject({ calls: 2, cost_micro_usd: 10, tokens_used: { input: 20, output: 4 } });
  });

  test('is asked twice, then the signal is VALIDATION_FAIL', async () => {
    const { orders, execute } = scene([reply(BAD), reply(BAD)]);
    const result = await execute();
    expect([orders.length, result.signal, result.exports]).toEqual([2, 'SIGNAL:VALIDATION_FAIL', undefined]);
  });

  test.each([
    ['its own retry policy', { worker_contract_violation: [{ policy: 'retry', maxAttempts: 3 }] }, 3],
    ['the policy for any failure', { '*': [{ policy: 'bubble' }, { policy: 'retry', maxAttempts: 1 }] }, 1],
    ['a limit', { '*': [{ policy: 'retry', maxAttempts: 1000 }] }, 10],
  ])('is asked as often as %s says', async (_what, recovery, times) => {
    const { orders, execute } = scene(
      Array.from({ length: times }, () => reply(BAD, null)),
      block({ recovery: recovery as never }),
    );
    const result = await execute();
    expect([orders.length, result.signal]).toEqual([times, 'SIGNAL:VALIDATION_FAIL']);
    expect(result.stats?.['cost_micro_usd']).toBe(null);
  });

  test('and that fails when asked again has cost the first answer too', async () => {
    const failed = {
      ok: false,
      call: 'c2',
      kind: 'server_error',
      message: 'no',
      usage: null,
      costMicroUsd: null,
    } as const;
    await expect(scene([reply(BAD), failed]).execute()).rejects.toMatchObject({
      data: { call: 'c2', cost_micro_usd: 5, tokens_used: { input: 10, output: 2 } },
    });
  });

  test('is asked again after a crash, unless it was asked often enough', async () => {
    const { orders, execute } = scene([reply(BAD), reply(GOOD)]);
    await execute();
    const after = (at: number, text: string) =>
      scene([], block(), { reply: reply(text), prompt: orders[at]?.prompt } as KnownAnswer).complete();
    expect(await after(0, BAD)).toEqual({ kind: 'not_done' });
    expect(await after(0, GOOD)).toMatchObject({ signal: 'SIGNAL:FAILURE', exports: { risk: 'high' } });
    expect(await after(1, BAD)).toMatchObject({ signal: 'SIGNAL:VALIDATION_FAIL' });
  });

  test('was told the schema, and the signals that the table takes with their meanings', async () => {
    verifies('decisions.verdicts.9');
    const { orders, execute } = scene([reply(GOOD)]);
    await execute();
    expect(orders[0]?.request.instructions).toContain(
      [
        '# How to answer',
        `Your answer contains one JSON value that fits this JSON Schema, in a fenced block that begins with \`\`\`json; the last such block counts:\n${JSON.stringify(SCHEMA)}`,
        'End your answer with one of these signals, alone on the last line. No other signal is allowed:\nSIGNAL:SUCCESS: nothing to fix\nSIGNAL:FAILURE: something must be fixed',
      ].join('\n\n'),
    );
    expect(orders[0]?.rules).toEqual({ keyword: null, schema: SCHEMA });
    expect(orders[0]?.request.schema).toBe(null);
  });
});

test('rows for one signal share their meanings; FAILURE with a row of its own needs none of the default', () => {
  verifies('decisions.verdicts.9');
  const row = (name: string, means?: string) => ({
    signal: `SIGNAL:${name}`,
    ...(means === undefined ? {} : { means }),
  });
  const own = block({
    transitions: [
      row('DONE', 'all'),
      row('DONE', 'all'),
      row('DONE', 'most'),
      row('FAILURE'),
      row('FAIL_DEFAULT', 'no'),
    ] as never,
  });
  expect([...choicesOf(own).meanings]).toEqual([
    ['SIGNAL:DONE', 'all; or: most'],
    ['SIGNAL:FAIL_DEFAULT', 'no'],
  ]);
});

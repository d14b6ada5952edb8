import { describe, expect, test } from 'vitest';
import type { PoolLine } from '#actors/keys/index.ts';
import type { AiClient, AttemptOutcome } from '#protocol/ai-call.ts';
import type { AiFact } from '#protocol/ai-fact.ts';
import { EVERY_KEY } from '#logic/keys/read-pool.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { rest } from '../../../model/keys/test-clock.ts';
import { bad, good, key, NO_SCOPE, poolUnderTest, REQUEST, START, used } from './pool-under-test.ts';

const TWO = [key('one'), key('two')];
const NO_QUOTA = '{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded …"}}';

describe('failover', () => {
  test('a limit of ours that has passed is told as that, and tried once more only, not with every key', async () => {
    const keys = [key('one'), key('two'), key('three')];
    const { pool, order, asked } = poolUnderTest(keys, () =>
      bad(null, '', { error: 'TimeoutError', limit: 'first_token' }),
    );
    expect(await pool.execute(order())).toMatchObject({
      kind: 'failed',
      class: 'timeout',
      said: 'No answer began within 1 s (first_token_ms).',
      attempts: [{ key: 'one' }, { key: 'two' }],
    });
    expect(asked).toEqual(['one', 'two']);
  });

  test('keys of one account rest together, so that siblings are not asked in vain', async () => {
    const keys = [key('one', { account: 'acme' }), key('two', { account: 'acme' }), key('other')];
    const { pool, order, asked } = poolUnderTest(keys, (alias) =>
      alias === 'other' ? good('fine') : bad(429, NO_QUOTA),
    );
    expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'other' });
    expect(asked).toEqual(['one', 'other']);
    expect(pool.table().map(({ state }) => state)).toEqual(['exhausted', 'exhausted', 'healthy']);
  });

  test('the endpoint rests after a 500, not the key; the call goes on when that is over', async () => {
    const { pool, order, asked, advance } = poolUnderTest(TWO, (_alias, nth) => (nth < 3 ? bad(500) : good('at last')));
    const answer = pool.execute(order({ deadline: START + 60_000 }));
    await rest();
    expect(asked).toEqual(['one']);
    expect(pool.table().map(({ state }) => state)).toEqual(['healthy', 'healthy']);
    await advance(1_000, () => undefined);
    expect(asked).toEqual(['one', 'two']);
    await advance(2_000, () => undefined);
    expect(await answer).toMatchObject({ kind: 'answered', text: 'at last', key: 'one' });
  });

  test('a key without a secret is not used, and one that is revoked in between is passed over', async () => {
    const there = new Set(['one', 'two', 'three']);
    const { pool, order, asked } = poolUnderTest([key('one'), key('two'), key('three')], () => good('fine'), {
      secrets: { get: (alias) => (there.has(alias) ? `sk-secret-${alias}` : ' ') },
    });
    there.delete('one');
    there.delete('two');
    expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'three' });
    expect(asked).toEqual(['three']);
    expect(pool.table()[0]).toMatchObject({ state: 'invalid', why: 'no_secret' });
  });

  test('a key goes to its own endpoint only, whatever a manifest writes as base_url', async () => {
    const { pool, order, asked } = poolUnderTest([key('one'), key('local', { baseUrl: 'http://h/v1' })], () =>
      good('fine'),
    );
    const at = (baseUrl: string) => pool.execute(order({ request: { ...REQUEST, baseUrl } }));
    expect(await at('http://evil/v1')).toMatchObject({ kind: 'exhausted', retryAt: null, table: [] });
    expect(await at('http://h/v1/')).toMatchObject({ kind: 'answered', key: 'local' });
    expect(asked).toEqual(['local']);
  });

  test('a server of this machine is asked without a key if the user has none for it', async () => {
    const keys = [key('one'), key('own', { provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:2/v1' })];
    const { pool, order, asked } = poolUnderTest(keys, () => good('fine'));
    const at = (baseUrl: string, more: Partial<typeof EVERY_KEY> = {}) =>
      pool.execute(
        order({
          request: { ...REQUEST, provider: 'openai-compatible', baseUrl },
          pool: { ...EVERY_KEY, ...more },
        }),
      );
    expect(await at('http://127.0.0.1:1/v1/')).toMatchObject({ kind: 'answered', key: 'no-key@127.0.0.1:1/v1' });
    expect(await at('http://localhost:1/v1')).toMatchObject({ kind: 'answered', key: 'no-key@localhost:1/v1' });
    expect(await at('http://127.0.0.1:2/v1')).toMatchObject({ kind: 'answered', key: 'own' });
    // These servers need a key: one on another machine, and one whose pool names its keys.
    expect(await at('http://127.0.0.1.example.org/v1')).toMatchObject({ kind: 'exhausted', table: [] });
    expect(await at('http://127.0.0.1:1/v1', { keys: ['one'] })).toMatchObject({ kind: 'exhausted', table: [] });
    expect(asked).toEqual(['', '', 'own']);
  });

  test('a pool of the manifest that names no key has none', async () => {
    const { pool, order, settings, asked } = poolUnderTest(TWO, () => good('fine'));
    expect(await pool.execute(order({ pool: settings({ keys: [] }) }))).toMatchObject({ kind: 'exhausted', table: [] });
    expect(asked).toEqual([]);
  });

  test('a key that is switched off by a policy is told of', async () => {
    const facts: AiFact[] = [];
    const under = poolUnderTest(TWO, () => bad(429));
    const pool = under.settings({ keys: ['one'], policy: { rate_limited: 'disable' } });
    await under.pool.execute(under.order({ pool, onFact: (fact) => facts.push(fact) }));
    expect(facts[1]).toMatchObject({ type: 'key.changed', key: 'one', state: 'disabled' });
  });

  test.each([
    ['fail', { kind: 'failed', class: 'rate_limited' }, ['one'], 'healthy'],
    ['next_key', { kind: 'failed', class: 'rate_limited' }, ['one', 'two'], 'healthy'],
    ['disable', { kind: 'exhausted', retryAt: null }, ['one', 'two'], 'disabled'],
    ['cool', { kind: 'exhausted', retryAt: START + 5_000 }, ['one', 'two'], 'cooling'],
  ] as const)("the user's policy for a class holds: %s", async (policy, result, asked, state) => {
    verifies('workers.pool.policies');
    const under = poolUnderTest(TWO, () => bad(429));
    const pool = under.settings({ policy: { rate_limited: policy } });
    expect(await under.pool.execute(under.order({ pool }))).toMatchObject(result);
    expect(under.asked).toEqual(asked);
    expect(under.pool.table()[0]?.state).toBe(state);
  });
});

test('what a call with the old secret says is nothing about the new one', async () => {
  for (const status of [401, 429]) {
    let fail: (outcome: ReturnType<typeof bad>) => void = () => undefined;
    const under = poolUnderTest([key('one')], () => new Promise((resolve) => (fail = resolve)));
    const pool = under.settings({ policy: { rate_limited: 'disable' } });
    const controller = new AbortController();
    const answer = under.pool.execute(under.order({ pool, signal: controller.signal }));
    await rest();
    under.pool.renew('one');
    fail(bad(status));
    await rest();
    expect(under.pool.table()[0]?.state).toBe('healthy');
    fail(good('with the new one'));
    expect(await answer).toMatchObject({ kind: 'answered' });
  }
});

test.each([
  [
    'failed',
    'a model that it has not',
    bad(404, '{"error":{"code":"model_not_found","message":"The model does not exist."}}'),
  ],
  [
    'answered',
    'a limit of one model',
    bad(429, '{"error":{"message":"Rate limit reached for gpt-5.5 in organization org-1 on RPM."}}'),
  ],
])('nor does what it says of a model: %s, %s', async (kind, _what, outcome) => {
  let end: (outcome: ReturnType<typeof bad>) => void = () => undefined;
  const { pool, order } = poolUnderTest([key('one')], (_alias, nth) =>
    nth === 1 ? new Promise((resolve) => (end = resolve)) : good('fine'),
  );
  const old = pool.execute(order());
  await rest();
  pool.renew('one');
  end(outcome);
  expect((await old).kind).toBe(kind);
  expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'one' });
});

test('a call that is stopped as it gets its key is not sent: it costs nothing, and takes nothing of the minute', async () => {
  const controller = new AbortController();
  const lines: PoolLine[] = [];
  const file = {
    remembered: { standings: new Map(), disabled: new Set<string>(), prints: new Map(), spent: new Map() },
    note: (line: PoolLine) => lines.push(line),
    close: () => undefined,
  };
  const { pool, order, settings, asked, records } = poolUnderTest([key('one')], () => good('fine'), { file });
  const small = settings({ tokensPerMinute: 10 });
  const stopped = pool.execute(order({ pool: small, signal: controller.signal }));
  controller.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  expect([asked, records[0]?.attempts]).toEqual([[], []]);
  expect(lines.at(-1)).toEqual({ kind: 'ended', lease: 1, cost: null });
  expect(await pool.execute(order({ pool: small }))).toMatchObject({ kind: 'answered' });
  expect(await pool.execute(order({ pool: small }))).toMatchObject({ kind: 'exhausted', retryAt: START + 60_000 });
});

test('a client that breaks ends the call, and what it quotes of the key is nowhere', async () => {
  const { pool, order, records } = poolUnderTest([key('one')], () => {
    throw new Error('can not send "Bearer sk-secret-one"');
  });
  const thrown: unknown = await pool.execute(order()).catch((reason: unknown) => reason);
  expect(thrown).toEqual(new Error('can not send "Bearer [key one]"'));
  expect(JSON.stringify(records)).not.toContain('sk-secret');
  expect(records[0]).toMatchObject({ result: 'aborted', attempts: [{ key: 'one', usage: { input: 7 } }] });
});

test('an answer that came in one piece, and whose usage nobody told, is charged by its length', async () => {
  const { pool, order } = poolUnderTest([key('one')], () => good('x'.repeat(36), null));
  expect(await pool.execute(order())).toMatchObject({
    usage: { input: 7, output: 10, source: 'estimated' },
    microUsd: 57,
  });
});

test('a rest lasts a month at the most, whatever a provider says', async () => {
  const { pool, order } = poolUnderTest([key('one')], () => bad(429, '', { headers: { 'retry-after': '31536000' } }));
  expect(await pool.execute(order())).toMatchObject({ kind: 'exhausted', retryAt: START + 32 * 86_400_000 });
});

describe('waiting', () => {
  test('who leaves the line makes room for those behind', async () => {
    const { pool, order, settings, asked } = poolUnderTest([key('one')], () => good('fine', used(60, 0)));
    const small = settings({ tokensPerMinute: 100 });
    const controller = new AbortController();
    const call = (chars: number, signal = new AbortController().signal) =>
      pool.execute(
        order({
          pool: small,
          deadline: START + 600_000,
          signal,
          request: { ...REQUEST, instructions: '', messages: [{ role: 'user', content: 'x'.repeat(chars) }] },
        }),
      );
    await call(36);
    const huge = call(3_600, controller.signal);
    const last = call(36);
    await rest();
    expect(asked).toHaveLength(1);
    controller.abort(new Error('cancelled'));
    await expect(huge).rejects.toThrow('cancelled');
    expect(await last).toMatchObject({ kind: 'answered' });
  });

  test('past the deadline it says when to come again, and what each key said', async () => {
    verifies('workers.pool.exhausted');
    const { pool, order, records } = poolUnderTest([...TWO, key('three')], (alias) =>
      alias === 'one'
        ? bad(429, '', { headers: { 'retry-after': '90' } })
        : alias === 'two'
          ? bad(401, '{"error":{"message":"Incorrect API key provided: sk-secret-two","code":"invalid_api_key"}}')
          : bad(402, '{"error":{"message":"Insufficient credits"}}'),
    );
    expect(await pool.execute(order({ deadline: START + 89_999 }))).toMatchObject({
      kind: 'exhausted',
      retryAt: START + 90_000,
      table: [
        { alias: 'one', state: 'cooling', until: START + 90_000, why: 'rate_limited' },
        { alias: 'two', state: 'invalid', until: null, said: 'Incorrect API key provided: [key two]' },
        { alias: 'three', state: 'exhausted', until: START + 3_600_000, said: 'Insufficient credits' },
      ],
    });
    expect(JSON.stringify(records)).not.toContain('sk-secret');
  });

  test('an abort while it waits ends it with its reason, and is recorded', async () => {
    const { pool, order, records } = poolUnderTest([key('one')], () => bad(429));
    const controller = new AbortController();
    const answer = pool.execute(order({ deadline: START + 60_000, signal: controller.signal }));
    await rest();
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
    expect(records[0]).toMatchObject({ result: 'aborted', attempts: [{ key: 'one' }] });
  });

  test('an abort during an attempt gives the key back, and its input is charged', async () => {
    const { pool, order, settings, records } = poolUnderTest([key('one')], (_alias, nth, _say, signal) =>
      nth > 1
        ? good('fine')
        : new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
    );
    const controller = new AbortController();
    const single = settings({ concurrency: 1 });
    const answer = pool.execute(order({ pool: single, signal: controller.signal }));
    const next = pool.execute(order({ pool: single, deadline: START + 1 }));
    await rest();
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
    expect(await next).toMatchObject({ kind: 'answered' });
    expect(records[0]?.attempts[0]).toMatchObject({ usage: { input: 7, output: 0, source: 'estimated' }, microUsd: 7 });
  });
});

describe('an answer that breaks off', () => {
  const cutThenGood = (_alias: string, nth: number, say: (text: string) => void) => {
    say(nth === 1 ? 'Half of' : 'All of it');
    return nth === 1
      ? bad(200, '', { phase: 'stream', begun: true, error: 'TypeError terminated' })
      : good('All of it');
  };

  test('is not asked for again when it was read, and what was read is told', async () => {
    verifies('workers.pool.no-replay');
    const { pool, order, asked, records } = poolUnderTest(TWO, cutThenGood);
    const read: string[] = [];
    const reader = { onText: (text: string) => read.push(text), onRestart: null };
    const result = await pool.execute(order({ reader, deadline: START + 60_000 }));
    expect(result).toMatchObject({ kind: 'failed', class: 'stream_cut', text: 'Half of' });
    expect([read, asked]).toEqual([['Half of'], ['one']]);
    expect(records[0]?.attempts[0]?.usage).toMatchObject({ input: 7, output: 2, source: 'estimated' });
  });

  test('is asked for again when nobody read it, or the reader takes it back', async () => {
    for (const takesBack of [false, true]) {
      const { pool, order, advance } = poolUnderTest(TWO, cutThenGood);
      let read = '';
      const reader = { onText: (text: string) => (read += text), onRestart: () => (read = '') };
      const answer = pool.execute(order({ reader: takesBack ? reader : null, deadline: START + 60_000 }));
      await rest();
      await advance(1_000, () => undefined);
      expect(await answer).toMatchObject({ kind: 'answered', text: 'All of it' });
      expect(read).toBe(takesBack ? 'All of it' : '');
    }
  });

  test('is requested twice again at most, however many keys there are', async () => {
    const alwaysCut = (_alias: string, _nth: number, say: (text: string) => void) => {
      say('Half of');
      return bad(200, '', { phase: 'stream', begun: true, error: 'TypeError terminated' });
    };
    const { pool, order, asked, advance, records } = poolUnderTest([...TWO, key('three'), key('four')], alwaysCut);
    const answer = pool.execute(order({ deadline: START + 60_000 }));
    for (const ms of [0, 1_000, 2_000, 4_000, 8_000]) {
      await advance(ms, () => undefined);
      await rest();
    }
    expect(await answer).toMatchObject({
      kind: 'failed',
      class: 'stream_broken',
      said: expect.stringContaining('cut off 3 times') as string,
    });
    expect(asked).toHaveLength(3);
    expect(records).toMatchObject([{ result: 'failed', failure: 'stream_broken' }]);
  });

  test('heals no endpoint: the next rest is twice as long', async () => {
    const alwaysCut = (_alias: string, _nth: number, say: (text: string) => void) => {
      say('Half of');
      return bad(200, '', { phase: 'stream', begun: true, error: 'TypeError terminated' });
    };
    const { pool, order, asked, advance } = poolUnderTest(TWO, alwaysCut);
    const answer = pool.execute(order({ deadline: START + 60_000 }));
    await rest();
    await advance(1_000, () => undefined);
    await rest();
    expect(asked).toHaveLength(2);
    await advance(1_999, () => undefined);
    await rest();
    expect(asked).toHaveLength(2);
    await advance(1, () => undefined);
    expect(await answer).toMatchObject({ class: 'stream_broken' });
    expect(asked).toHaveLength(3);
  });

  test('counts on when its visit has waited for a key in between', async () => {
    const cutThenBusy = (_alias: string, nth: number, say: (text: string) => void) => {
      if (nth % 2 === 0) return bad(429, '', { headers: { 'retry-after': '90' } });
      say('Half of');
      return bad(200, '', { phase: 'stream', begun: true, error: 'TypeError terminated' });
    };
    const { pool, order, asked, advance } = poolUnderTest([key('one')], cutThenBusy);
    const scope = { ...NO_SCOPE, run: 'r1', block: 'Main__Ask', visit: 1 };
    const results: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const answer = pool.execute(order({ scope, billedBefore: call, deadline: START + 10_000 + call * 200_000 }));
      await rest();
      await advance(5_000, () => undefined);
      await rest();
      const result = await answer;
      results.push(result.kind === 'failed' ? result.class : result.kind);
      await advance(195_000, () => undefined);
    }
    expect(results).toEqual(['exhausted', 'exhausted', 'stream_broken']);
    expect(asked).toHaveLength(5);
  });

  test('a reader that throws costs no key', async () => {
    const { pool, order, reports } = poolUnderTest(TWO, (_alias, _nth, say) => {
      say('text');
      return good('text');
    });
    const reader = {
      onText: () => {
        throw new Error('no screen');
      },
      onRestart: null,
    };
    expect(await pool.execute(order({ reader }))).toMatchObject({ kind: 'answered', key: 'one' });
    expect(reports).toEqual(['a listener for the text of an answer failed: no screen']);
  });
});

describe('budgets', () => {
  const scope = { ...NO_SCOPE, run: 'r1', session: 's1', node: 'Fix' };
  const limit = (what: { microUsd?: number; tokens?: number; requests?: number }) => ({
    microUsd: null,
    tokens: null,
    requests: null,
    ...what,
  });

  test.each([
    ['run', { microUsd: 590 }, 'microUsd', 440],
    ['node', { tokens: 230 }, 'tokens', 200],
    ['session', { requests: 2 }, 'requests', 2],
    ['day', { tokens: 210 }, 'tokens', 200],
  ] as const)('of the %s: what would pass it is not begun', async (kind, amounts, unit, spent) => {
    verifies('workers.pool.budgets');
    const { pool, order, asked } = poolUnderTest(TWO, () => good('fine'));
    const request = { ...REQUEST, maxOutputTokens: 30 };
    const call = () => pool.execute(order({ request, scope, budgets: { [kind]: limit(amounts) } }));
    expect([(await call()).kind, (await call()).kind]).toEqual(['answered', 'answered']);
    expect(await call()).toMatchObject({ kind: 'over_budget', over: { scope: kind, unit, spent, why: 'limit' } });
    expect(asked).toHaveLength(2);
  });

  test("a key's own budget sends calls to the next key, until the day is over", async () => {
    const { pool, order, settings } = poolUnderTest(TWO, () => good('fine'));
    const spare = settings({ budget: { key: limit({ requests: 1 }) } });
    const call = () => pool.execute(order({ pool: spare }));
    expect([await call(), await call(), await call()]).toMatchObject([
      { key: 'one' },
      { key: 'two' },
      { kind: 'exhausted', retryAt: Date.UTC(2026, 10, 22), table: [{ why: 'budget' }, { why: 'budget' }] },
    ]);
  });

  test.each([
    ['a request', { requests: 1 }, 'requests'],
    ['tokens', { tokens: 50 }, 'tokens'],
    ['money', { microUsd: 200 }, 'microUsd'],
  ] as const)('what calls in flight may take counts: %s', async (_what, amounts, unit) => {
    const ends: ((outcome: ReturnType<typeof good>) => void)[] = [];
    const { pool, order, asked } = poolUnderTest(TWO, () => new Promise((resolve) => ends.push(resolve)));
    const request = { ...REQUEST, maxOutputTokens: 30 };
    const call = () => pool.execute(order({ request, scope, budgets: { run: limit(amounts) }, deadline: START }));
    const first = call();
    const second = call();
    await rest();
    expect(asked).toEqual(['one']);
    ends[0]?.(good('fine'));
    expect(await first).toMatchObject({ kind: 'answered' });
    expect(await second).toMatchObject({ kind: 'over_budget', over: { scope: 'run', unit, why: 'limit' } });
    expect(asked).toEqual(['one']);
  });

  test('who waits for money holds nobody up who need not', async () => {
    const { pool, order, asked } = poolUnderTest(TWO, () => new Promise(() => undefined));
    const call = (run: string) =>
      void pool.execute(
        order({ scope: { ...NO_SCOPE, run }, budgets: { run: limit({ requests: 1 }) }, deadline: START + 60_000 }),
      );
    for (const run of ['r1', 'r1', 'r2']) call(run);
    await rest();
    expect(asked).toEqual(['one', 'two']);
  });

  test('a request that was refused counts as one, though it cost nothing', async () => {
    const { pool, order } = poolUnderTest(TWO, () => bad(400, '{"error":{"message":"no"}}'));
    const call = () => pool.execute(order({ scope, budgets: { run: limit({ requests: 2 }) } }));
    expect([(await call()).kind, (await call()).kind]).toEqual(['failed', 'failed']);
    expect(await call()).toMatchObject({ kind: 'over_budget', over: { unit: 'requests', spent: 2 } });
  });

  test.each([
    ['day', 86_400_000],
    ['month', 10 * 86_400_000],
  ] as const)('of the %s: the next one has its own', async (kind, ms) => {
    const { pool, order, advance } = poolUnderTest(TWO, () => good('fine'));
    const call = () => pool.execute(order({ scope, budgets: { [kind]: limit({ requests: 1 }) } }));
    expect([(await call()).kind, (await call()).kind]).toEqual(['answered', 'over_budget']);
    await advance(ms, () => undefined);
    expect([(await call()).kind, (await call()).kind]).toEqual(['answered', 'over_budget']);
  });

  test('of a pool: what others spend does not count; that of the manifest counts all', async () => {
    const { pool, order, settings } = poolUnderTest(TWO, () => good('fine'));
    const call = async (wish: Parameters<typeof order>[0]) => (await pool.execute(order({ scope, ...wish }))).kind;
    const of = (name: string) => ({ pool: settings({ name, budget: { day: limit({ requests: 1 }) } }) });
    expect([await call(of('one')), await call(of('one')), await call(of('two'))]).toEqual([
      ...['answered', 'over_budget', 'answered'],
    ]);
    const budgets = { day: limit({ requests: 3 }) };
    expect([await call({ budgets }), await call({ budgets })]).toEqual(['answered', 'over_budget']);
  });

  test('the output of a call is limited to what the budget leaves, and an answer cut off there is not used', async () => {
    const maxima: (number | null | undefined)[] = [];
    const client: AiClient = {
      attempt: (_request, _secret, _signal, _onText, options) => {
        maxima.push(options?.maxOutputTokens);
        const output = options?.maxOutputTokens ?? 0;
        return Promise.resolve({ ...good('a part', used(7, output)), finish: 'length' } as AttemptOutcome);
      },
    };
    const { pool, order } = poolUnderTest(TWO, () => good('fine'), { client });
    const budgets = { run: limit({ microUsd: 2_007 }) };
    expect(await pool.execute(order({ scope, budgets }))).toMatchObject({
      kind: 'over_budget',
      attempts: [{ microUsd: 2_007 }],
      over: { scope: 'run', unit: 'microUsd', limit: 2_007, spent: 2_007, why: 'cut_off' },
    });
    expect(maxima).toEqual([400]);
    expect(await pool.execute(order({ scope, budgets }))).toMatchObject({
      kind: 'over_budget',
      over: { why: 'limit' },
    });
    expect(maxima).toHaveLength(1);
  });

  test('a call is not begun if the budget leaves too little for an answer', async () => {
    const { pool, order, asked } = poolUnderTest(TWO, () => good('fine'));
    const budgets = { run: limit({ microUsd: 1_000 }) };
    const result = await pool.execute(order({ scope, budgets }));
    expect(result).toMatchObject({ kind: 'over_budget', over: { spent: 0, needed: 7 + 5 * 256, why: 'limit' } });
    expect(asked).toEqual([]);
  });

  test.each([
    ['max_tokens is too large: %s. This model supports at most 16384 completion tokens.', [100_000, 16_383]],
    ['The maxOutputTokens value %s is out of the supported range from 1 to 65537 (exclusive).', [100_000, 65_536]],
    ['Too many tokens.', [100_000, 50_000, 25_000]],
  ])('a model that refuses the maximum of a budget is asked with a smaller one: %s', async (message, expected) => {
    const maxima: number[] = [];
    const client: AiClient = {
      attempt: (_request, _secret, _signal, _onText, options) => {
        const most = options?.maxOutputTokens ?? 0;
        maxima.push(most);
        if (most === expected.at(-1)) return Promise.resolve(good('fine'));
        return Promise.resolve(bad(400, JSON.stringify({ error: { message: message.replace('%s', String(most)) } })));
      },
    };
    const { pool, order } = poolUnderTest(TWO, () => good('fine'), { client });
    const budgets = { run: limit({ microUsd: 500_007 }) };
    expect(await pool.execute(order({ scope, budgets }))).toMatchObject({ kind: 'answered' });
    expect(maxima).toEqual(expected);
    await pool.execute(order({ scope, budgets }));
    expect(maxima.slice(expected.length)).toEqual([expected.at(-1)]);
  });

  test('a visit that has paid for three answers without an end sends nothing more', async () => {
    const { pool, order, asked } = poolUnderTest(TWO, () => good('fine'));
    const ended = await pool.execute(order({ scope, billedBefore: 3 }));
    expect([ended, asked]).toEqual([expect.objectContaining({ kind: 'failed', class: 'stream_broken' }), []]);
  });

  test('an unknown price is never zero: under a limit of money nothing is begun', async () => {
    verifies('workers.pool.unknown-price');
    const { pool, order, asked } = poolUnderTest(TWO, () => good('fine'), { prices: { microUsd: () => null } });
    const budgets = { run: limit({ microUsd: 1_000_000 }) };
    expect(await pool.execute(order({ scope, budgets }))).toMatchObject({
      kind: 'over_budget',
      over: { scope: 'run', why: 'price_unknown' },
    });
    expect(asked).toEqual([]);
    expect(await pool.execute(order({ scope }))).toMatchObject({ kind: 'answered', microUsd: null });
  });
});

test('weights share, in rounds; a conversation stays where it is', async () => {
  const { pool, order, settings, asked } = poolUnderTest(TWO, () => good('fine'));
  const weighted = settings({ weights: { one: 2, two: 1 } });
  for (let call = 0; call < 6; call += 1) await pool.execute(order({ pool: weighted }));
  expect(asked.splice(0)).toEqual(['one', 'one', 'two', 'one', 'one', 'two']);
  const scope = { ...NO_SCOPE, session: 's1', block: 'Fix__Write' };
  for (let call = 0; call < 3; call += 1) await pool.execute(order({ pool: weighted, scope }));
  expect(asked).toEqual(['one', 'one', 'one']);
});

test('tokens a minute: who was first is served first, and one that is larger than a minute goes alone', async () => {
  verifies('workers.pool.limits');
  const ended: string[] = [];
  const { pool, order, settings, asked, advance } = poolUnderTest([key('one')], () => good('fine', used(60, 0)));
  const small = settings({ tokensPerMinute: 100 });
  const call = (name: string, chars: number) =>
    pool
      .execute(
        order({
          pool: small,
          deadline: START + 600_000,
          request: { ...REQUEST, instructions: '', messages: [{ role: 'user', content: 'x'.repeat(chars) }] },
        }),
      )
      .then(() => ended.push(name));
  void call('small', 36);
  void call('huge', 3_600);
  void call('last', 36);
  await rest();
  expect(ended).toEqual(['small']);
  await advance(59_999, () => undefined);
  expect(ended).toEqual(['small']);
  await advance(1, () => undefined);
  // The large request finally used only 60 tokens, so the last request is within the limit.
  expect([ended, asked.length]).toEqual([['small', 'huge', 'last'], 3]);
});

test('a sink that fails is told of, and fails nobody', async () => {
  const { pool, order, reports } = poolUnderTest(TWO, () => good('fine'), {
    sink: { take: () => Promise.reject(new Error('ENOSPC')) },
  });
  expect(await pool.execute(order())).toMatchObject({ kind: 'answered' });
  expect(reports).toEqual(["the record of call call-1 can't be stored: ENOSPC"]);
});

import { createKeyPool, type PoolLine } from '#actors/keys/index.ts';
import type { AttemptOutcome, AiRequest } from '#protocol/ai-call.ts';
import type { FinishedCall } from '#protocol/finished-call.ts';
import type { PoolResult, PoolSettings } from '#protocol/key-pool.ts';
import { pick, seededRandom } from '../../support/seeded-random.ts';
import { must } from './must.ts';
import { CALL_TOKENS, type Flight, INPUT_TOKENS, NaivePool } from './naive-pool.ts';
import { type Meaning, OUTCOMES } from './outcomes.ts';
import { createTestClock, rest } from './test-clock.ts';

const START = Date.UTC(2026, 10, 21, 12);
const STEPS = 20;
/** A request whose estimated size is `INPUT_TOKENS`. */
const REQUEST: AiRequest = {
  provider: 'openai',
  model: 'm',
  baseUrl: null,
  instructions: '',
  messages: [{ role: 'user', content: 'x'.repeat(72) }],
  schema: null,
  maxOutputTokens: CALL_TOKENS - INPUT_TOKENS,
  temperature: null,
  limits: { firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};
const REQUESTS: readonly AiRequest[] = [REQUEST, { ...REQUEST, model: 'other' }];
const TEXT = 't'.repeat(36);
const TEXT_TOKENS = 10;
const REPORTED_TOKENS = CALL_TOKENS;

/** Maximum number of billed failures of a call: an answer that broke off is requested at most twice more. */
const MOST_BILLED = 3;

const WAITS = [0, 3_000, 60_000, 7_200_000, 400_000_000];
const STRIDES = [200, 900, 1_500, 5_000, 61_000, 300_000, 3_700_000];

interface Order {
  readonly id: number;
  readonly request: AiRequest;
  readonly conversation: string | null;
  readonly deadline: number;
  readonly controller: AbortController;
  /** The text that the caller has received and not discarded; null if the caller doesn't stream. */
  read: string | null;
  readonly takesBack: boolean;
  readonly tried: Set<string>;
  /** The lease of the key that was last assigned to the call. */
  flight: Flight | null;
  attempt: Attempt | null;
  /** The last time at which this call had no key to wait for. Recorded right before another call gets a key. */
  hopelessAt: number | null;
  result: PoolResult | 'aborted' | null;
  /** Number of failures after the provider had begun to answer, which are billed. */
  billed: number;
  /** The meaning of the last failure. */
  last: Meaning | null;
}

interface Attempt {
  readonly order: Order;
  readonly flight: Flight;
  readonly secret: string;
  text: string;
  readonly say: (text: string) => void;
  readonly end: (outcome: AttemptOutcome) => void;
}

export type Tally = Map<string, number>;

/** Executes one random history of keys, failures and time in the pool and in the naive pool, and compares them. */
export async function liveThrough(seed: number, tally: Tally): Promise<void> {
  const random = seededRandom(seed);
  const oneOf = <Value>(values: readonly Value[]): Value => values[pick(random, values.length)]!;
  const maybe = (chance: number): boolean => random() < chance;
  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);

  const keys = Array.from({ length: 1 + pick(random, 5) }, (_, index) => ({
    alias: `k${index}`,
    provider: 'openai' as const,
    baseUrl: null,
    account: maybe(0.4) ? oneOf(['a', 'b']) : null,
  }));
  const tiers = maybe(0.25) ? [keys.filter(() => maybe(0.5)).map(({ alias }) => alias)] : [];
  const settings = {
    concurrency: maybe(0.4) ? 1 + pick(random, 2) : null,
    perMinute: maybe(0.25) ? 1 + pick(random, 3) : null,
    tokens: maybe(0.2) ? 50 + pick(random, 500) : null,
    tiers,
  };
  const naive = new NaivePool(keys, settings);
  const { clock, advance } = createTestClock(START);
  const orders: Order[] = [];
  const attempts = new Set<Attempt>();
  const records: FinishedCall[] = [];
  const secretOf = (alias: string): string =>
    `sk-${alias}-${naive.keys.find((one) => one.alias === alias)!.secrets}-secret`;
  let lastUntil = new Map<string, number>();

  const isHopeless = ({ request, deadline, tried }: Order): boolean =>
    naive.hopeless(request.model, clock.now(), deadline, tried);

  /**
   * Checks that a lease is permitted at the moment at which it is granted. Calls that became hopeless just before are
   * notified later, so the time is recorded here.
   */
  const observe = (line: PoolLine): void => {
    if (line.kind !== 'begun') return;
    const named = (prefix: string): string =>
      line.accounts
        .find((one) => one.startsWith(prefix))!
        .split(':')
        .at(-1)!;
    const order = orders[Number(named('task:'))]!;
    for (const other of orders) if (other.result === null && isHopeless(other)) other.hopelessAt = clock.now();
    try {
      const failedWith = order.last === null ? null : (order.flight?.key ?? null);
      const { tried } = order;
      const { model } = order.request;
      const but = { tried, failedWith };
      order.flight = naive.start(line.lease, named('key:'), model, order.conversation, clock.now(), but);
    } catch (thrown) {
      failures.push(thrown);
    }
  };

  const pool = createKeyPool({
    keys,
    clock,
    secrets: { get: secretOf },
    prices: { microUsd: () => null },
    sink: {
      take: (record) => {
        records.push(record);
        return Promise.resolve();
      },
    },
    file: {
      remembered: { standings: new Map(), disabled: new Set(), prints: new Map(), spent: new Map() },
      note: observe,
      close: () => undefined,
    },
    newId: () => 'call',
    report: (message) => failures.push(new Error(message)),
    client: {
      attempt: (request, secret, signal, onText) =>
        new Promise((resolve, reject) => {
          const order = orders.find((one) => one.controller.signal === signal)!;
          const { flight } = order;
          must(flight !== null, () => `order ${order.id} went out without a key`);
          if (flight === null) return;
          must(
            secret === secretOf(flight.key.alias),
            () => `order ${order.id} went out with another key than it was given`,
          );
          const attempt: Attempt = { order, flight, secret, text: '', say: onText, end: resolve };
          order.attempt = attempt;
          attempts.add(attempt);
          signal.addEventListener('abort', () => {
            if (!attempts.delete(attempt)) return;
            const seen = attempt.text === '' ? 0 : TEXT_TOKENS;
            naive.end(flight, 'aborted', INPUT_TOKENS + seen, clock.now());
            order.attempt = null;
            reject(signal.reason as Error);
          });
          must(request === order.request, () => 'another request');
        }),
    },
  });

  const poolSettings: PoolSettings = {
    name: 'p',
    keys: keys.map(({ alias }) => alias),
    policy: {},
    tiers,
    weights: {},
    concurrency: settings.concurrency,
    requestsPerMinute: settings.perMinute,
    tokensPerMinute: null,
    budget: {},
  };

  /** Checks the invariants that hold whenever no work is pending. */
  const check = (): void => {
    const now = clock.now();
    const table = pool.table();
    const ours = table.map(({ alias, state, until }) => `${alias} ${state} ${until}`).join('\n');
    const theirs = naive.table(now).map(({ alias, state, until }) => `${alias} ${state} ${until}`);
    must(ours === theirs.join('\n'), () => `keys stand at\n${ours}\nand should at\n${theirs.join('\n')}`);
    for (const { alias, until } of table)
      if (until !== null) {
        must(until >= (lastUntil.get(alias) ?? 0), () => `until of ${alias} moved backwards`);
        lastUntil.set(alias, until);
      }
    const isShort = settings.tokens !== null && attempts.size > 0;
    for (const order of orders) {
      if (order.result !== null || order.attempt !== null || isShort) continue;
      const free = naive.eligible(order.request.model, now, order.tried, order.conversation);
      must(
        free.length === 0,
        () => `order ${order.id} waits, and a key is free: ${free.map(({ alias }) => alias).join()}`,
      );
      must(order.deadline > now, () => `order ${order.id} waits beyond its deadline`);
    }
  };

  const judge = (order: Order, result: PoolResult): void => {
    order.result = result;
    count(result.kind);
    if (result.kind === 'failed') {
      const isUsed = order.read !== null && order.read !== '' && !order.takesBack;
      const isSpent =
        order.tried.size > 0 && naive.hopeless(order.request.model, clock.now(), Number.POSITIVE_INFINITY, order.tried);
      must(
        order.last?.next === 'fails' || isUsed || isSpent || order.billed === MOST_BILLED,
        () => `order ${order.id} failed without need`,
      );
    }
    if (result.kind === 'exhausted')
      must(
        isHopeless(order) || order.hopelessAt === clock.now(),
        () => `order ${order.id} gave up too early: ${JSON.stringify({ now: clock.now(), result, naive })}`,
      );
    if (result.kind === 'over_budget')
      must(naive.spent + CALL_TOKENS > (settings.tokens ?? Infinity), () => 'the budget is not spent');
    if (result.kind === 'answered' && order.read !== null && order.read !== '')
      must(order.read === TEXT, () => `order ${order.id} was read as ${order.read}`);
  };

  const submit = (deadline: number): void => {
    const reads = maybe(0.5);
    const order: Order = {
      id: orders.length,
      request: oneOf(REQUESTS),
      conversation: maybe(0.5) ? oneOf(['c', 'd', 'e']) : null,
      deadline,
      controller: new AbortController(),
      read: reads ? '' : null,
      takesBack: maybe(0.5),
      tried: new Set(),
      flight: null,
      attempt: null,
      result: null,
      hopelessAt: null,
      billed: 0,
      last: null,
    };
    orders.push(order);
    const { conversation } = order;
    const reader = {
      onText: (text: string) => {
        order.read = (order.read ?? '') + text;
      },
      onRestart: order.takesBack ? () => (order.read = '') : null,
    };
    const scope = {
      session: conversation,
      run: conversation,
      task: String(order.id),
      node: null,
      block: null,
      visit: order.id,
    };
    const run = { microUsd: null, tokens: settings.tokens, requests: null };
    pool
      .execute({
        request: order.request,
        pool: poolSettings,
        scope,
        budgets: settings.tokens === null ? {} : { month: run },
        deadline,
        signal: order.controller.signal,
        reader: reads ? reader : null,
      })
      .then(
        (result) => judge(order, result),
        (thrown: unknown) => {
          order.result = 'aborted';
          failures.push(
            ...(order.controller.signal.aborted && thrown === order.controller.signal.reason ? [] : [thrown]),
          );
        },
      )
      .catch((thrown: unknown) => failures.push(thrown));
  };
  const failures: unknown[] = [];

  const finish = (attempt: Attempt, [meaning, make]: (typeof OUTCOMES)[number]): void => {
    const { order, flight, secret, text } = attempt;
    const outcome = make(secret);
    const before = meaning.blames === 'nobody' ? JSON.stringify(pool.table()) : null;
    const isFree = !outcome.ok && text === '' && meaning.name !== 'timeout';
    const estimate = INPUT_TOKENS + (text === '' ? 0 : TEXT_TOKENS);
    attempts.delete(attempt);
    order.attempt = null;
    order.last = meaning;
    if (meaning.next !== 'done' && (text !== '' || meaning.name === 'cut' || meaning.name === 'empty'))
      order.billed += 1;
    must(order.billed <= MOST_BILLED, () => `order ${order.id} was billed ${order.billed} times for nothing`);
    if (meaning.next === 'not_this_key') order.tried.add(flight.key.alias);
    naive.end(flight, meaning, outcome.ok ? REPORTED_TOKENS : isFree ? 0 : estimate, clock.now());
    attempt.end(outcome);
    count(meaning.name);
    if (before !== null) faults.push(before);
  };
  const faults: string[] = [];

  const settleDown = async (): Promise<void> => {
    await rest();
    if (failures.length > 0) throw failures[0];
    // A request that is invalid because of the caller must not change the state of any key.
    for (const before of faults.splice(0))
      must(JSON.stringify(pool.table()) === before, () => `a caller's fault changed ${before}`);
    check();
  };

  const act = async (): Promise<void> => {
    const kind = random();
    const flying = [...attempts];
    const key = oneOf(naive.keys);
    if (kind < 0.3) submit(clock.now() + oneOf(WAITS));
    else if (kind < 0.65 && flying.length > 0) finish(oneOf(flying), oneOf(OUTCOMES));
    else if (kind < 0.72 && flying.length > 0) {
      const attempt = oneOf(flying);
      if (attempt.text !== '') return;
      attempt.text = TEXT;
      naive.text(attempt.flight);
      attempt.say(TEXT);
    } else if (kind < 0.76) oneOf(orders.length === 0 ? [null] : orders)?.controller.abort(new Error('gone'));
    else if (kind < 0.79) {
      key.disabled = !key.disabled;
      pool.setDisabled(key.alias, key.disabled);
      count('by hand');
    } else if (kind < 0.82) {
      naive.renew(key);
      pool.renew(key.alias);
      lastUntil = new Map();
    } else await advance(oneOf(STRIDES), check);
  };

  for (let step = 0; step < STEPS; step += 1) {
    await act();
    await settleDown();
  }
  // No call waits forever: if all answers are good and there is enough time, every call ends.
  for (let round = 0; round < 200 && orders.some(({ result }) => result === null); round += 1) {
    for (const attempt of attempts) {
      finish(attempt, OUTCOMES[0]!);
      await settleDown();
    }
    await advance(STRIDES[6]!, check);
    await settleDown();
  }
  must(
    orders.every(({ result }) => result !== null),
    () => 'an order starved',
  );
  must(records.length === orders.length, () => `${records.length} records of ${orders.length} orders`);
  must(!JSON.stringify(records).includes('-secret'), () => 'a record holds a secret');
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allowanceOf,
  type Bid,
  type Cost,
  emptyLedger,
  type Limit,
  mayBegin,
  reserve,
  settle,
} from '#logic/keys/ledger.ts';
import { seed } from '../support/seeded-random.ts';

const SCOPES = ['run', 'session', 'day'] as const;

/** Limits of three scopes; each in money, tokens or both. */
const limits = fc.tuple(
  ...SCOPES.map((scope) =>
    fc
      .record({
        microUsd: fc.option(fc.nat({ max: 2_000_000 })),
        tokens: fc.option(fc.nat({ max: 300_000 })),
      })
      .map((amounts): Limit => ({ scope, account: scope, amounts: { ...amounts, requests: null } })),
  ),
);

/** A step of a history: a call wants to begin, or one in flight ends with a share of what it may use, or is aborted. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('begin' as const),
    input: fc.integer({ min: 1, max: 2_000 }),
    most: fc.integer({ min: 1, max: 131_072 }),
    accounts: fc.subarray([...SCOPES], { minLength: 1 }),
    price: fc.record({ input: fc.nat({ max: 20 }), output: fc.nat({ max: 80 }) }),
  }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('abort' as const), which: fc.nat() }),
);

interface Flight {
  readonly accounts: readonly string[];
  readonly reserved: Cost;
  readonly costOf: Bid['costOf'];
  readonly output: number;
}

test(`no interleaving of calls exceeds a budget (ROBOSMITH_SEED=${String(seed)})`, () => {
  let [begun, bound] = [0, 0];
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 60 }), (all, steps) => {
      const ledger = emptyLedger();
      const flights: Flight[] = [];
      const take = (which: number): Flight | undefined => flights.splice(which % Math.max(1, flights.length), 1)[0];
      for (const one of steps) {
        if (one.kind === 'begin') {
          const { input, most, price } = one;
          const own = all.filter(({ account }) => one.accounts.some((name) => name === account));
          const costOf = (output: number): Cost => ({
            tokens: input + output,
            microUsd: input * price.input + output * price.output,
          });
          const bid: Bid = { least: Math.min(256, most), most, costOf };
          if (mayBegin(ledger, own, costOf(bid.least)) !== 'yes') continue;
          const { output, boundBy } = allowanceOf(ledger, own, bid);
          expect(output).toBeGreaterThanOrEqual(bid.least);
          begun += 1;
          if (boundBy !== null) bound += 1;
          const reserved = costOf(output);
          reserve(ledger, one.accounts, reserved);
          flights.push({ accounts: one.accounts, reserved, costOf, output });
        } else {
          const flight = take(one.which);
          if (flight === undefined) continue;
          const cost = one.kind === 'end' ? flight.costOf(Math.floor(flight.output * one.share)) : null;
          settle(ledger, flight.accounts, flight.reserved, cost);
        }
        for (const { account, amounts } of all) {
          const [spent, reserved] = [ledger.spent.get(account), ledger.reserved.get(account)];
          const used = (unit: 'microUsd' | 'tokens'): number => (spent?.[unit] ?? 0) + (reserved?.[unit] ?? 0);
          expect(used('microUsd')).toBeLessThanOrEqual(amounts.microUsd ?? Number.POSITIVE_INFINITY);
          expect(used('tokens')).toBeLessThanOrEqual(amounts.tokens ?? Number.POSITIVE_INFINITY);
        }
      }
      for (const flight of flights.splice(0)) settle(ledger, flight.accounts, flight.reserved, null);
      expect([...ledger.reserved.values()]).toEqual([]);
    }),
    { seed, numRuns: 2_000 },
  );
  expect(begun).toBeGreaterThan(1_000);
  expect(bound).toBeGreaterThan(100);
});

import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { asEvent, linesOf, logText, newFolder, openLog, progress, silent } from './temp-log.ts';

const refuse = (): never => {
  throw new Error('no access');
};
const cyclic: unknown[] = [];
cyclic.push({ again: cyclic });
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
/** 40 nested lists, each of which contains the previous one twice: 2⁴⁰ values. */
const doubling = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], []);
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const messageless: unknown = Object.create(null);

const details: readonly (readonly [what: string, details: unknown, why: string])[] = [
  ['a cycle', cyclic, 'it is nested too deeply, or has a cycle'],
  ['a big integer', { n: 1n }, 'it contains a bigint'],
  ['a function', [() => 1], 'it contains a function'],
  ['a symbol', { a: Symbol('a') }, 'it contains a symbol'],
  ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: refuse }), 'no access'],
  ['a toJSON that throws', { toJSON: refuse }, 'it has its own toJSON method'],
  ['a toJSON that lies', { toJSON: () => undefined }, 'it has its own toJSON method'],
  ['a boxed big integer', Object(2n), 'Do not know how to serialize a BigInt'],
  ['a proxy that throws', new Proxy({}, { has: refuse, get: refuse, ownKeys: refuse }), 'no access'],
  ['a proxy that is revoked', revoked.proxy, "Cannot perform 'has' on a proxy that has been revoked"],
  ['10,000 levels', deep(10_000), 'it is nested too deeply, or has a cycle'],
  ['2⁴⁰ values', doubling, 'it is too large'],
  ['four thousand million holes', new Array(2 ** 32 - 1), 'it is too large'],
  [
    'a throw of nothing readable',
    new Proxy(
      {},
      {
        has: () => {
          throw messageless;
        },
      },
    ),
    'an error without a message was thrown',
  ],
];

test.each(details)('%s is replaced by a description', (_what, given, why) => {
  verifies('engine.events.hostile-payload');
  const folder = newFolder();
  const { log, warnings } = openLog(folder);
  log.write(asEvent({ ...progress(1, ''), details: given }));
  log.write(progress(2, 'next'));
  log.close();
  expect(linesOf(folder)).toEqual([{ ...silent(1), payload: { unserialisable: why } }, progress(2, 'next')]);
  expect(warnings).toEqual([]);
});

test('a long reason is cut', () => {
  const folder = newFolder();
  const { log } = openLog(folder);
  const get = (): never => {
    throw new Error('x'.repeat(100_000));
  };
  log.write(Object.defineProperty({ ...progress(1, '') }, 'text', { get, enumerable: true }));
  log.close();
  expect(linesOf(folder)).toMatchObject([{ seq: 1, payload: { unserialisable: 'x'.repeat(200) } }]);
});

const nothing = { seq: 0, run_id: '', trace_id: '', time: 5, type: 'unknown' };

test.each([
  ['undefined', undefined, 'it is not an event'],
  ['null', null, 'it is not an event'],
  ['a function', () => 1, 'it is not an event'],
  ['a number', 7, 'it is not an event'],
  ['an empty object', {}, 'it is not an event'],
  ['a list', [], 'it is not an event'],
  ['a proxy all of which throws', new Proxy({}, { has: refuse, get: refuse, ownKeys: refuse }), 'no access'],
  ['numbers that are none', { ...nothing, seq: Number.NaN, time: Infinity }, 'it is not an event'],
  ['half a sequence number', { ...nothing, seq: 1.5 }, 'it is not an event'],
])('%s in the place of an event is described too', (_what, event, why) => {
  const folder = newFolder();
  const { log } = openLog(folder);
  log.write(asEvent(event));
  log.close();
  expect(linesOf(folder)).toEqual([{ ...nothing, payload: { unserialisable: why } }]);
  expect(readEvents(fileCalls, folder)).toMatchObject({ events: [nothing], damaged: 0 });
});

test('an event that changes while it is read is written or described, never thrown', () => {
  const folder = newFolder();
  const { log } = openLog(folder);
  for (let calm = 0; calm < 80; calm += 1) {
    let reads = 0;
    const moody = new Proxy(
      { ...progress(1, '') },
      { get: (target, key) => ((reads += 1) > calm ? refuse() : (Reflect.get(target, key) as unknown)) },
    );
    log.write(moody);
  }
  log.close();
  expect(linesOf(folder)).toHaveLength(80);
});

test('what JSON leaves out is left out', () => {
  const folder = newFolder();
  const { log } = openLog(folder);
  log.write(asEvent({ ...progress(1, ''), details: { a: undefined, b: [undefined], c: Number.NaN } }));
  log.close();
  expect(linesOf(folder)).toMatchObject([{ details: { b: [null], c: null } }]);
});

test('no text breaks a line', async () => {
  const folder = newFolder();
  const { log } = openLog(folder);
  const text = 'a\u2028b\u2029c\nd\r\ne\0f\ud800g\udfffh\u0085i\ufeffj"\\';
  log.write(progress(1, text));
  log.write(progress(2, text.repeat(500)));
  log.close();
  const lines: string[] = [];
  for await (const line of createInterface({ input: Readable.from([logText(folder)]) })) lines.push(line);
  expect(lines).toHaveLength(2);
  const { events } = readEvents(fileCalls, folder, { resolve: true });
  expect(events).toEqual([progress(1, text), progress(2, text.repeat(500))]);
});

import type { Payload, Segment } from '#protocol/payload.ts';

/**
 * A payload: the first `length` entries of a log, which all payloads with the same history share. Appending is O(1) for
 * the payload that contains the newest entry; a shorter payload copies its entries first.
 */
export interface PayloadHold {
  readonly log: Segment[];
  readonly length: number;
  /** Equal for all payloads derived by appending; a replacement starts a new lineage. */
  readonly lineage: symbol;
}

export const holdPayload = (segments: readonly Segment[]): PayloadHold => ({
  log: [...segments],
  length: segments.length,
  lineage: Symbol('payload'),
});

export function appendSegments(hold: PayloadHold, segments: readonly Segment[]): PayloadHold {
  if (segments.length === 0) return hold;
  const log = hold.log.length === hold.length ? hold.log : hold.log.slice(0, hold.length);
  for (const segment of segments) log.push(segment);
  return { log, length: hold.length + segments.length, lineage: hold.lineage };
}

/** Returns a copy of the payload. */
export const payloadOf = (hold: PayloadHold): Segment[] => hold.log.slice(0, hold.length);

/** Returns whether `later` was made from `earlier` by appending only. New segments then start at `earlier.length`. */
export const continues = (later: PayloadHold, earlier: PayloadHold): boolean =>
  later.lineage === earlier.lineage &&
  later.length >= earlier.length &&
  (earlier.length === 0 || later.log[earlier.length - 1] === earlier.log[earlier.length - 1]);

const refuse = (): never => {
  throw new TypeError('The payload of a block is read-only: return "append" or "payload" instead of writing to it');
};

const VIEW = Symbol('view');

/** A view made of `before`, the first `length` entries of the log, and `after`. */
interface View {
  readonly before: readonly Segment[];
  readonly log: readonly Segment[];
  readonly after: readonly Segment[];
  /** `from` and `until` are the start and end of the log's entries in the view; `total` is the view's length. */
  readonly from: number;
  readonly until: number;
  readonly total: number;
}

interface Viewed extends Array<Segment> {
  [VIEW]: View;
}

const at = ({ before, log, after, from, until }: View, index: number): Segment | undefined =>
  index < from ? before[index] : index < until ? log[index - from] : after[index - until];

const INDEX = /^(?:0|[1-9]\d*)$/;

const indexOf = (key: string | symbol): number => (typeof key === 'string' && INDEX.test(key) ? Number(key) : -1);

/** One handler for all views, since a view is made at every step. */
const READ_ONLY: ProxyHandler<Viewed> = {
  get: (target, key) => {
    if (key === 'length') return target[VIEW].total;
    const index = indexOf(key);
    if (index >= 0) return at(target[VIEW], index);
    return key === VIEW ? undefined : (Reflect.get(target, key) as unknown);
  },
  has: (target, key) => {
    const index = indexOf(key);
    return index >= 0 ? index < target[VIEW].total : key !== VIEW && Reflect.has(target, key);
  },
  ownKeys: (target) => [...Array.from({ length: target[VIEW].total }, (_, index) => String(index)), 'length'],
  getOwnPropertyDescriptor: (target, key) => {
    const { total } = target[VIEW];
    if (key === 'length') return { value: total, writable: true, enumerable: false, configurable: false };
    const index = indexOf(key);
    if (index < 0 || index >= total) return undefined;
    return { value: at(target[VIEW], index), writable: false, enumerable: true, configurable: true };
  },
  set: refuse,
  deleteProperty: refuse,
  defineProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
};

/**
 * Returns `before`, the first `hold.length` entries of the log, and `after` as one read-only array without copying.
 */
export function lazyPayload(before: readonly Segment[], hold: PayloadHold, after: readonly Segment[]): Payload {
  const from = before.length;
  const until = from + hold.length;
  const view: View = { before, log: hold.log, after, from, until, total: until + after.length };
  const target = [] as unknown as Viewed;
  target[VIEW] = view;
  return new Proxy<Viewed>(target, READ_ONLY);
}

import type { Payload, Segment } from '#protocol/payload.ts';

/**
 * A payload as its holder sees it: a length of a log that is shared by all who have this history.
 * Appending is O(1) while the holder is the log's newest, and copies once where histories part.
 */
export interface PayloadHold {
  readonly log: Segment[];
  readonly length: number;
  /** The same for all that came of one payload by appending; a replacement begins a new one. */
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

/** A copy that nobody else appends to. */
export const payloadOf = (hold: PayloadHold): Segment[] => hold.log.slice(0, hold.length);

/** Is `later` what `earlier` became by appending only? Then what is new starts at `earlier.length`. */
export const continues = (later: PayloadHold, earlier: PayloadHold): boolean =>
  later.lineage === earlier.lineage &&
  later.length >= earlier.length &&
  (earlier.length === 0 || later.log[earlier.length - 1] === earlier.log[earlier.length - 1]);

const refuse = (): never => {
  throw new TypeError('The payload of a block is read-only: return "append" or "payload" instead of writing to it');
};

const VIEW = Symbol('view');

/** `before`, the first `length` of the log, `after`. */
interface View {
  readonly before: readonly Segment[];
  readonly log: readonly Segment[];
  readonly after: readonly Segment[];
  /** Where the log begins and ends in the view, and the view's length. */
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

/** One handler for all views, since one is made at every step. */
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

/** `before`, the first `hold.length` of the log, `after`; as one read-only array that copies nothing. */
export function lazyPayload(before: readonly Segment[], hold: PayloadHold, after: readonly Segment[]): Payload {
  const from = before.length;
  const until = from + hold.length;
  const view: View = { before, log: hold.log, after, from, until, total: until + after.length };
  const target = [] as unknown as Viewed;
  target[VIEW] = view;
  return new Proxy<Viewed>(target, READ_ONLY);
}

import type { Payload, Segment } from '#protocol/payload.ts';

/**
 * A payload as its holder sees it: a length of a log that is shared by all who have this history.
 * Appending is O(1) while the holder is the log's newest, and copies once where histories part.
 */
export interface PayloadHold {
  readonly log: Segment[];
  readonly length: number;
}

export const holdPayload = (segments: readonly Segment[]): PayloadHold => ({
  log: [...segments],
  length: segments.length,
});

export function appendSegments(hold: PayloadHold, segments: readonly Segment[]): PayloadHold {
  if (segments.length === 0) return hold;
  const log = hold.log.length === hold.length ? hold.log : hold.log.slice(0, hold.length);
  for (const segment of segments) log.push(segment);
  return { log, length: hold.length + segments.length };
}

/** A copy that nobody else appends to. */
export const payloadOf = (hold: PayloadHold): Segment[] => hold.log.slice(0, hold.length);

/** Is `later` what `earlier` became by appending only? Then what is new starts at `earlier.length`. */
export const continues = (later: PayloadHold, earlier: PayloadHold): boolean =>
  later.length >= earlier.length &&
  (later.log === earlier.log ||
    earlier.length === 0 ||
    later.log[earlier.length - 1] === earlier.log[earlier.length - 1]);

const refuse = (): never => {
  throw new TypeError('The payload of a block is read-only: return "append" or "payload" instead of writing to it');
};

const INDEX = /^(?:0|[1-9]\d*)$/;

/** `before`, the first `hold.length` of the log, `after`; as one read-only array that copies nothing. */
export function lazyPayload(before: readonly Segment[], hold: PayloadHold, after: readonly Segment[]): Payload {
  const { log, length } = hold;
  const from = before.length;
  const until = from + length;
  const total = until + after.length;
  const at = (index: number): Segment | undefined =>
    index < from ? before[index] : index < until ? log[index - from] : after[index - until];
  return new Proxy<Segment[]>([], {
    get: (target, key) => {
      if (key === 'length') return total;
      if (typeof key === 'string' && INDEX.test(key)) return at(Number(key));
      return Reflect.get(target, key) as unknown;
    },
    has: (target, key) => (typeof key === 'string' && INDEX.test(key) ? Number(key) < total : Reflect.has(target, key)),
    ownKeys: () => [...Array.from({ length: total }, (_, index) => String(index)), 'length'],
    getOwnPropertyDescriptor: (target, key) => {
      if (key === 'length') return { value: total, writable: true, enumerable: false, configurable: false };
      if (typeof key === 'string' && INDEX.test(key) && Number(key) < total)
        return { value: at(Number(key)), writable: false, enumerable: true, configurable: true };
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    set: refuse,
    deleteProperty: refuse,
    defineProperty: refuse,
    setPrototypeOf: refuse,
    preventExtensions: refuse,
  });
}

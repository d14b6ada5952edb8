/*
 * The messages that one client has not received yet. Nothing waits for a slow client: a queue that exceeds its limit
 * ends, and the client subscribes again.
 */

export interface OutboxLimits {
  /** The maximum number of items in the queue. */
  readonly items: number;
  readonly bytes: number;
  /** The maximum number of bytes of one batch. */
  readonly batchBytes: number;
}

export const OUTBOX_LIMITS: OutboxLimits = { items: 10_000, bytes: 8e6, batchBytes: 256_000 };

export interface SizedItem<Item> {
  readonly item: Item;
  readonly bytes: number;
}

interface OutboxParts<Item> {
  /** Items to send first; null if there are none. */
  readonly before: Promise<Iterable<SizedItem<Item>>> | null;
  /** Resolves when the operating system has accepted the items; rejects if the client has disconnected. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  /** Called with the number of unread items when the queue is full. The queue has ended then. */
  readonly onFull: (count: number) => void;
  /** Called when the queue accepts nothing more: it is full, the client is gone, or `before` failed. */
  readonly onOver: () => void;
}

export interface Outbox<Item> {
  take(sized: SizedItem<Item>): void;
  /** Resolves when all items accepted so far have been sent, or the queue has ended. */
  caughtUp(): Promise<void>;
  /** Ends the queue; unsent items are dropped. */
  end(): void;
}

export function createOutbox<Item>(
  { items: mostItems, bytes: mostBytes, batchBytes }: OutboxLimits,
  { before, send, onFull, onOver }: OutboxParts<Item>,
): Outbox<Item> {
  let queue: SizedItem<Item>[] = [];
  let bytes = 0;
  let over = false;
  let sending = false;
  let work: Promise<void> = Promise.resolve();

  const nextBatch = (): readonly Item[] => {
    let size = 0;
    const upTo = queue.findIndex((one) => (size += one.bytes) > batchBytes);
    const batch = queue.splice(0, upTo === -1 ? queue.length : Math.max(1, upTo));
    for (const one of batch) bytes -= one.bytes;
    return batch.map(({ item }) => item);
  };
  const end = (): void => {
    over = true;
    queue = [];
  };
  const stop = (): void => {
    end();
    onOver();
  };
  const pump = async (): Promise<void> => {
    sending = true;
    try {
      while (queue.length > 0 && !over) await send(nextBatch());
    } catch {
      // The client has disconnected.
      stop();
    }
    sending = false;
  };
  const begin = async (first: Promise<Iterable<SizedItem<Item>>>): Promise<void> => {
    sending = true;
    try {
      for (const part of inParts(await first, batchBytes)) if (!over) await send(part);
    } catch {
      stop();
    }
    sending = false;
    await pump();
  };
  if (before !== null) work = begin(before);

  return {
    end,
    caughtUp: () => work,
    take: (sized) => {
      if (over) return;
      queue.push(sized);
      bytes += sized.bytes;
      const { length } = queue;
      if (length > mostItems || bytes > mostBytes) {
        stop();
        onFull(length);
      } else if (!sending) work = pump();
    },
  };
}

function* inParts<Item>(all: Iterable<SizedItem<Item>>, batchBytes: number): Generator<readonly Item[]> {
  let part: Item[] = [];
  let size = 0;
  for (const { item, bytes } of all) {
    part.push(item);
    size += bytes;
    if (size < batchBytes) continue;
    yield part;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield part;
}

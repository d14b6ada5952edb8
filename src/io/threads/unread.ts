/** What a thread is given when it starts. */
export interface ThreadData {
  /** Counts the messages that it has sent and that nobody has read yet; shared by both threads. */
  readonly unread: Int32Array<SharedArrayBuffer>;
}

/** A thread that sends more at once waits. Node reads as many before it looks at anything else, such as a time limit. */
const MOST_UNREAD = 1_000;

/** In one turn of the event loop: only a thread that does not wait sends as many. */
const MOST_IN_TURN = 10 * MOST_UNREAD;

export const newThreadData = (): ThreadData => ({ unread: new Int32Array(new SharedArrayBuffer(4)) });

/** Blocks this thread until the other one has read enough. */
export function waitForRoom(unread: Int32Array<SharedArrayBuffer>): void {
  for (let count = Atomics.load(unread, 0); count >= MOST_UNREAD; count = Atomics.load(unread, 0))
    Atomics.wait(unread, 0, count);
}

/** Counts what is read. The result returns false for a message that exceeds what an orderly thread sends. */
export function createReading({ unread }: ThreadData): () => boolean {
  let inTurn = 0;
  return () => {
    Atomics.sub(unread, 0, 1);
    Atomics.notify(unread, 0);
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    return inTurn <= MOST_IN_TURN;
  };
}

import type { ApprovedFiles } from './approved-files.ts';

/** The data that a thread receives when it starts. */
export interface ThreadData {
  /** The number of messages that the thread has sent and the receiver has not read; both threads share it. */
  readonly unread: Int32Array<SharedArrayBuffer>;
  readonly approved: ApprovedFiles;
}

/**
 * The number of unread messages at which a thread that sends must wait. Without this limit, Node would read all
 * messages before it handles anything else, such as a timeout.
 */
const MOST_UNREAD = 1_000;

/**
 * The maximum number of messages that are accepted in one turn of the event loop. Only a thread that doesn't wait as it
 * should can exceed it.
 */
const MOST_IN_TURN = 10 * MOST_UNREAD;

export const newThreadData = (approved: ApprovedFiles): ThreadData => ({
  unread: new Int32Array(new SharedArrayBuffer(4)),
  approved,
});

/** Blocks this thread until the receiver has read enough messages. */
export function waitForRoom(unread: Int32Array<SharedArrayBuffer>): void {
  for (let count = Atomics.load(unread, 0); count >= MOST_UNREAD; count = Atomics.load(unread, 0))
    Atomics.wait(unread, 0, count);
}

/**
 * Returns a function to call for each message that is read. It returns false if more messages were read in one turn of
 * the event loop than are accepted.
 */
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

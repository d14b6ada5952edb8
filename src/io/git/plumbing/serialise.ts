/** One after another for all that touches the shared refs of a repository: a mutex of the caller. */
export type Serialise = <Value>(work: () => Promise<Value>) => Promise<Value>;

export const atOnce: Serialise = (work) => work();

/** One at a time, in the order of asking: what touches the refs, worktrees and settings which all sessions share. */
export function createSerialiser(): Serialise {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

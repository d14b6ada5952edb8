/** The caller's mutex for work on a repository's shared refs, worktrees and settings. */
export type Serialise = <Value>(work: () => Promise<Value>) => Promise<Value>;

export const atOnce: Serialise = (work) => work();

/** Creates a mutex that runs one piece of work at a time, in the order of the calls. */
export function createSerialiser(): Serialise {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

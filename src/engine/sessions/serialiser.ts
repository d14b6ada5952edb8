import type { Serialise } from '#io/git/serialise.ts';

/** One at a time, in the order of asking: git commands that touch the refs and worktrees which all sessions share. */
export function createSerialiser(): Serialise {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

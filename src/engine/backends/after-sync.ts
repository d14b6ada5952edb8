import type { Journal } from '#actors/journal/index.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';

type Work = Parameters<RunContext['whenSafe']>[0];

/**
 * Returns a function that calls `work` once all journal lines appended so far are synced, or at once if they already
 * are. Functions that wait for the same sync are called together.
 */
export function afterSync(journal: Journal, trouble: () => Failure | null): RunContext['whenSafe'] {
  let awaited: { readonly safe: Promise<void>; readonly works: Work[] } | null = null;
  return (work) => {
    const safe = journal.safe();
    if (safe === null) work(trouble());
    else if (awaited?.safe === safe) awaited.works.push(work);
    else {
      const works = [work];
      awaited = { safe, works };
      const go = (): void => {
        for (const one of works) one(trouble());
      };
      safe.then(go, go);
    }
  };
}

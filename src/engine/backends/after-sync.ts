import type { Journal } from '#actors/journal/index.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';

type Work = Parameters<RunContext['whenSafe']>[0];

/**
 * Calls back once all journal lines so far are safe, at once if they already are. Calls that wait for the same lines
 * are made together.
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

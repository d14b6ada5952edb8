import path from 'node:path';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { PairConflict } from '#protocol/session.ts';
import { createProjectContext } from '../../code-analysis/project-context.ts';
import { semanticVerdicts } from '../../code-analysis/semantic-verdicts.ts';
import { type KnownOverlap, overlapKey, readOverlaps, writeOverlaps } from './overlap-store.ts';
import { commitPairs, type WorkCommits } from './pair-semantics.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The time limit in milliseconds for the comparisons of one list. The next list continues with the other pairs. */
const LIMIT_MS = 4_000;

const NO_REGISTER = { begin: () => ({ started: () => undefined, ended: () => undefined }) };

/**
 * Compares the pairs that no engine has compared yet for clashes that git can't see, and stores the results. Used while
 * no process owns the engine, which compares them by itself.
 */
export async function compareHere(
  root: string,
  work: WorkCommits,
  conflicts: readonly PairConflict[],
  environment: Environment,
): Promise<void> {
  const folder = path.join(root, '.flow');
  const known = new Map(readOverlaps(fileCalls, folder));
  const met = new Set(conflicts.map(({ sessions }) => sessions.join(' ')));
  const pairs = commitPairs(work).filter(
    ({ sessions, ours, theirs }) => !met.has(sessions.join(' ')) && !known.has(overlapKey(ours, theirs)),
  );
  if (pairs.length === 0) return;
  const now = (): number => wallClock.now();
  const { servers } = createProjectContext({ root, folder, environment, now, register: NO_REGISTER });
  const verdicts = semanticVerdicts(servers);
  const done = new AbortController();
  const late = wallClock.sleep(LIMIT_MS, done.signal, '').then(
    () => null,
    () => null,
  );
  const found = new Map<string, KnownOverlap>();
  try {
    for (const { sessions, ours, theirs } of pairs) {
      const clashes = await Promise.race([verdicts.compare(root, ours, theirs), late]);
      if (clashes === null) return;
      const likely = clashes.map((clash) => ({ ...clash, standing: 'likely' as const }));
      found.set(overlapKey(ours, theirs), { sessions, clashes: likely, isChecked: likely.length === 0 });
    }
  } finally {
    done.abort();
    await servers.close();
    if (found.size > 0) writeOverlaps(fileCalls, folder, new Map([...readOverlaps(fileCalls, folder), ...found]));
  }
}

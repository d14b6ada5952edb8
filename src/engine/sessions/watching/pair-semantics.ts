import type { SessionId } from '#protocol/id.ts';
import { BASE_SIDE, type PairSemantics } from '#protocol/semantic-clash.ts';
import { type KnownOverlap, overlapKey } from './overlap-store.ts';

export interface CommitPair {
  readonly sessions: readonly [SessionId, SessionId];
  readonly ours: string;
  readonly theirs: string;
}

/** The commits of the work to compare. */
export interface WorkCommits {
  /** The current commits of the sessions with work. */
  readonly heads: ReadonlyMap<SessionId, string>;
  /** The tips of the bases that have commits which the session's work lacks, by session. */
  readonly bases: ReadonlyMap<SessionId, string>;
}

/** Returns all pairs of sessions with work, in the order of the sessions, then the pairs of a session and its base. */
export function commitPairs({ heads, bases }: WorkCommits): readonly CommitPair[] {
  const all = [...heads];
  const ofSessions = all.flatMap(([one, ours], index) =>
    all.slice(index + 1).map(([other, theirs]): CommitPair => ({ sessions: [one, other], ours, theirs })),
  );
  const ofBases = all.flatMap(([one, ours]): readonly CommitPair[] => {
    const theirs = bases.get(one);
    return theirs === undefined ? [] : [{ sessions: [one, BASE_SIDE], ours, theirs }];
  });
  return [...ofSessions, ...ofBases];
}

const asPair = ({ sessions, clashes }: Omit<KnownOverlap, 'isChecked'>): PairSemantics => ({
  sessions,
  clashes: clashes.map((clash) => ({ ...clash, changer: clash.changer === 'ours' ? sessions[0] : sessions[1] })),
});

/** Returns the newest comparison of each pair, even if its sessions have newer commits. */
export function latestSemantics(overlaps: ReadonlyMap<string, KnownOverlap>): readonly PairSemantics[] {
  const newest = new Map([...overlaps.values()].map((known) => [known.sessions.join(' '), known]));
  return [...newest.values()].map(asPair);
}

/** Returns the comparisons of those pairs whose current commits were compared. */
export const knownSemantics = (
  work: WorkCommits,
  overlaps: ReadonlyMap<string, KnownOverlap>,
): readonly PairSemantics[] =>
  commitPairs(work).flatMap(({ sessions, ours, theirs }) => {
    const known = overlaps.get(overlapKey(ours, theirs));
    return known === undefined ? [] : [asPair({ sessions, clashes: known.clashes })];
  });

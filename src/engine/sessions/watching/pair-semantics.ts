import type { SessionId } from '#protocol/id.ts';
import type { PairSemantics } from '#protocol/semantic-clash.ts';
import { type KnownOverlap, overlapKey } from './overlap-store.ts';

export interface CommitPair {
  readonly sessions: readonly [SessionId, SessionId];
  readonly ours: string;
  readonly theirs: string;
}

/** Returns all pairs of sessions with work, in the order of the sessions. */
export function commitPairs(heads: ReadonlyMap<SessionId, string>): readonly CommitPair[] {
  const all = [...heads];
  return all.flatMap(([one, ours], index) =>
    all.slice(index + 1).map(([other, theirs]): CommitPair => ({ sessions: [one, other], ours, theirs })),
  );
}

const asPair = ({ sessions, clashes }: KnownOverlap): PairSemantics => ({
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
  heads: ReadonlyMap<SessionId, string>,
  overlaps: ReadonlyMap<string, KnownOverlap>,
): readonly PairSemantics[] =>
  commitPairs(heads).flatMap(({ sessions, ours, theirs }) => {
    const known = overlaps.get(overlapKey(ours, theirs));
    return known === undefined ? [] : [asPair({ sessions, clashes: known.clashes })];
  });

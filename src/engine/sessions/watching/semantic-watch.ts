import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PairSemantics, SemanticVerdicts } from '#protocol/semantic-clash.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from '../model/coalesced.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { type KnownOverlap, overlapKey, readOverlaps, writeOverlaps } from './overlap-store.ts';
import { type CommitPair, commitPairs, knownSemantics } from './pair-semantics.ts';
import { proveClashes } from './prove-clash.ts';

export interface SemanticWatchParts extends SessionPlaceParts {
  readonly verdicts: SemanticVerdicts;
  readonly session: (id: SessionId) => Session | null;
  /** Called when a new comparison was stored. */
  readonly onFound: () => void;
}

/** The current commits of the sessions, and the pairs that are already in conflict for git. */
export interface SemanticInput {
  readonly heads: ReadonlyMap<SessionId, string>;
  readonly conflicts: readonly PairConflict[];
}

/**
 * Creates the background comparison that finds clashes of sessions that git can't see. It stores its results in
 * `.flow/overlaps.json`.
 */
export function createSemanticWatch(parts: SemanticWatchParts) {
  const { calls, folder, root, verdicts, session, warn, onFound } = parts;
  const overlaps = new Map(readOverlaps(calls, folder));
  let latest: SemanticInput | null = null;

  const keep = (pair: CommitPair, known: KnownOverlap): void => {
    const key = overlapKey(pair.ours, pair.theirs);
    overlaps.delete(key);
    overlaps.set(key, known);
    writeOverlaps(calls, folder, overlaps);
    onFound();
  };

  /**
   * Returns a worktree of the pair, whose server may already run and answer at once. Any worktree of the repository
   * would do, since all have the same commits.
   */
  const worktreeOf = ({ sessions: [one, other] }: CommitPair): string =>
    session(one)?.worktree ?? session(other)?.worktree ?? root;

  const comparePair = async (pair: CommitPair): Promise<void> => {
    const { ours, theirs } = pair;
    const clashes = await verdicts.compare(worktreeOf(pair), ours, theirs);
    if (clashes === null) return;
    const { sessions } = pair;
    keep(pair, { sessions, clashes: clashes.map((clash) => ({ ...clash, standing: 'likely' })) });
    const owner = session(pair.sessions[0]);
    if (clashes.length === 0 || owner === null) return;
    const judged = await proveClashes({ session: owner, ours, theirs, clashes }, parts);
    if (judged !== null) keep(pair, { sessions, clashes: judged });
  };

  const work = coalesced(async () => {
    const input = latest;
    if (input === null) return;
    const met = new Set(input.conflicts.map(({ sessions: [a, b] }) => `${a} ${b}`));
    for (const pair of commitPairs(input.heads)) {
      // A newer comparison has started: it reads the sessions' current commits, so this one ends.
      if (latest !== input) return;
      const [one, other] = pair.sessions;
      if (met.has(`${one} ${other}`) || overlaps.has(overlapKey(pair.ours, pair.theirs))) continue;
      await comparePair(pair);
    }
  });

  return {
    /** Returns the known comparisons of a session's pairs, for the commits at the last call of `look`. */
    of: (id: SessionId): readonly PairSemantics[] =>
      latest === null ? [] : knownSemantics(latest.heads, overlaps).filter(({ sessions }) => sessions.includes(id)),
    /** Resolves once nothing is being compared. */
    settled: (): Promise<void> => work().catch(() => undefined),
    /** Compares the pairs whose current commits were not compared yet. Never rejects. */
    compare: (compare: SemanticInput): Promise<void> => {
      latest = compare;
      return work().catch((thrown: unknown) => warn(`the work of sessions was not compared: ${messageOf(thrown)}`));
    },
  };
}

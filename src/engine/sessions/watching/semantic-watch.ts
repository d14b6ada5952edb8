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
  /** Called when something is known that was not before. */
  readonly onFound: () => void;
}

/** What the sessions have done by now, and which pairs are in conflict anyway. */
export interface SemanticLook {
  readonly heads: ReadonlyMap<SessionId, string>;
  readonly conflicts: readonly PairConflict[];
}

/** Compares what sessions have done beyond what git can see, in the background, and keeps what it found in `.flow/overlaps.json`. */
export function createSemanticWatch(parts: SemanticWatchParts) {
  const { calls, folder, root, verdicts, session, warn, onFound } = parts;
  const overlaps = new Map(readOverlaps(calls, folder));
  let latest: SemanticLook | null = null;

  const keep = (pair: CommitPair, known: KnownOverlap): void => {
    const key = overlapKey(pair.ours, pair.theirs);
    overlaps.delete(key);
    overlaps.set(key, known);
    writeOverlaps(calls, folder, overlaps);
    onFound();
  };

  /** A session whose server runs answers at once; that of another worktree of the repository knows the same commits. */
  const worktreeOf = ({ sessions: [one, other] }: CommitPair): string =>
    session(one)?.worktree ?? session(other)?.worktree ?? root;

  const compare = async (pair: CommitPair): Promise<void> => {
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
    const look = latest;
    if (look === null) return;
    const met = new Set(look.conflicts.map(({ sessions: [a, b] }) => `${a} ${b}`));
    for (const pair of commitPairs(look.heads)) {
      // A newer comparison has started: it reads the sessions' current commits, so this one ends.
      if (latest !== look) return;
      const [one, other] = pair.sessions;
      if (met.has(`${one} ${other}`) || overlaps.has(overlapKey(pair.ours, pair.theirs))) continue;
      await compare(pair);
    }
  });

  return {
    /** Returns what is known of the pairs of a session, as they were at the last look. */
    of: (id: SessionId): readonly PairSemantics[] =>
      latest === null ? [] : knownSemantics(latest.heads, overlaps).filter(({ sessions }) => sessions.includes(id)),
    /** Resolves once nothing is being compared. */
    settled: (): Promise<void> => work().catch(() => undefined),
    /** Compares what was not compared as it is now. Never rejects. */
    look: (look: SemanticLook): Promise<void> => {
      latest = look;
      return work().catch((thrown: unknown) => warn(`the work of sessions was not compared: ${messageOf(thrown)}`));
    },
  };
}

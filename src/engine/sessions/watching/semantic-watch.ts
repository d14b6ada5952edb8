import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { BASE_SIDE, type PairSemantics, type SemanticVerdicts } from '#protocol/semantic-clash.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from '../model/concurrency.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { type KnownOverlap, overlapKey, readOverlaps, writeOverlaps } from './overlap-store.ts';
import { type CommitPair, commitPairs, knownSemantics, type WorkCommits } from './pair-semantics.ts';
import { proveClashes } from './prove-clash.ts';

interface SemanticWatchParts extends SessionPlaceParts {
  readonly verdicts: SemanticVerdicts;
  readonly session: (id: SessionId) => Session | null;
  /** Called when a new comparison was stored. */
  readonly onFound: () => void;
}

/** The current commits of the sessions and their bases, and the pairs that are already in conflict for git. */
export interface SemanticInput extends WorkCommits {
  readonly conflicts: readonly PairConflict[];
}

const sameSessions = ([a, b]: CommitPair['sessions'], [c, d]: CommitPair['sessions']): boolean => a === c && b === d;

/** The comparisons of a project, in memory and in `.flow/overlaps.json`. */
function createOverlaps({ calls, folder, onFound }: SemanticWatchParts, stop: AbortSignal) {
  const overlaps = new Map(readOverlaps(calls, folder));
  /** Stores the comparisons. After the stop, the file may belong to another engine. */
  const save = (): void => {
    if (!stop.aborted) writeOverlaps(calls, folder, overlaps);
  };
  return {
    known: (): ReadonlyMap<string, KnownOverlap> => overlaps,
    of: ({ ours, theirs }: CommitPair): KnownOverlap | undefined => overlaps.get(overlapKey(ours, theirs)),
    keep: ({ ours, theirs, sessions }: CommitPair, found: Omit<KnownOverlap, 'sessions'>): void => {
      const key = overlapKey(ours, theirs);
      overlaps.delete(key);
      overlaps.set(key, { sessions, ...found });
      save();
      if (!stop.aborted) onFound();
    },
    /** Removes the comparisons with the base of sessions that have all commits of their base by now. */
    forgetBases: ({ heads, bases }: WorkCommits): void => {
      const past = [...overlaps].filter(
        ([
          ,
          {
            sessions: [one, other],
          },
        ]) => other === BASE_SIDE && heads.has(one) && !bases.has(one),
      );
      for (const [key] of past) overlaps.delete(key);
      if (past.length > 0) save();
    },
  };
}

/**
 * Creates the queue of background checks of merged files, which run one at a time. No operation waits for them: until
 * its check has ended, a clash counts as likely.
 */
function createProofs(parts: SemanticWatchParts, overlaps: ReturnType<typeof createOverlaps>, stop: AbortSignal) {
  const { session, warn } = parts;
  let waiting: readonly CommitPair[] = [];

  const prove = async (pair: CommitPair): Promise<void> => {
    const owner = session(pair.sessions[0]);
    const known = overlaps.of(pair);
    if (owner === null || known === undefined || known.isChecked) return;
    const { ours, theirs } = pair;
    const judged = await proveClashes({ session: owner, ours, theirs, clashes: known.clashes }, parts, stop);
    // If nothing could be checked, the next comparison tries again, because the user may have trusted the manifest by
    // then.
    if (judged !== null) overlaps.keep(pair, { clashes: judged, isChecked: true });
  };

  const work = coalesced(async () => {
    for (let [pair] = waiting; pair !== undefined && !stop.aborted; [pair] = waiting) {
      waiting = waiting.slice(1);
      await prove(pair).catch((thrown: unknown) => {
        if (!stop.aborted) warn(`the merged files of two sessions were not checked: ${messageOf(thrown)}`);
      });
    }
  });

  return {
    /** Adds a pair. An older pair of the same sessions that still waits is dropped. */
    add: (pair: CommitPair): void => {
      waiting = [...waiting.filter(({ sessions }) => !sameSessions(sessions, pair.sessions)), pair];
      void work();
    },
    settled: work,
  };
}

/**
 * Creates the background comparison that finds clashes of sessions that git can't see. It stores its results in
 * `.flow/overlaps.json`.
 */
export function createSemanticWatch(parts: SemanticWatchParts) {
  const { root, verdicts, session, warn } = parts;
  const stop = new AbortController();
  const overlaps = createOverlaps(parts, stop.signal);
  const proofs = createProofs(parts, overlaps, stop.signal);
  let latest: SemanticInput | null = null;

  /**
   * Returns a worktree of the pair, whose server may already run and answer at once. Any worktree of the repository
   * would do, since all have the same commits.
   */
  const worktreeOf = ({ sessions: [one, other] }: CommitPair): string =>
    session(one)?.worktree ?? session(other)?.worktree ?? root;

  /** Returns the comparison of a pair, from the store or by asking for it; null if none is possible now. */
  const compared = async (pair: CommitPair): Promise<KnownOverlap | null> => {
    const known = overlaps.of(pair);
    if (known !== undefined) return known;
    const clashes = await verdicts.compare(worktreeOf(pair), pair.ours, pair.theirs);
    if (clashes === null) return null;
    const likely = clashes.map((clash) => ({ ...clash, standing: 'likely' as const }));
    overlaps.keep(pair, { clashes: likely, isChecked: likely.length === 0 });
    return overlaps.of(pair) ?? null;
  };

  const work = coalesced(async () => {
    const input = latest;
    if (input === null) return;
    overlaps.forgetBases(input);
    const met = new Set(input.conflicts.map(({ sessions: [a, b] }) => `${a} ${b}`));
    for (const pair of commitPairs(input)) {
      // A newer comparison has started: it reads the sessions' current commits, so this one ends.
      if (latest !== input || stop.signal.aborted) return;
      const [one, other] = pair.sessions;
      if (met.has(`${one} ${other}`)) continue;
      const known = await compared(pair);
      if (known !== null && !known.isChecked) proofs.add(pair);
    }
  });

  return {
    /** Returns the known comparisons of a session's pairs, for the commits at the last call of `compare`. */
    of: (id: SessionId): readonly PairSemantics[] =>
      latest === null ? [] : knownSemantics(latest, overlaps.known()).filter(({ sessions }) => sessions.includes(id)),
    /** Resolves once nothing is being compared. The checks of merged files may go on. */
    settled: (): Promise<void> => work().catch(() => undefined),
    /** Resolves once no merged files are being checked. */
    checked: (): Promise<void> => proofs.settled(),
    /** Compares the pairs whose current commits were not compared yet. Never rejects. */
    compare: (compare: SemanticInput): Promise<void> => {
      latest = compare;
      return work().catch((thrown: unknown) => warn(`the work of sessions was not compared: ${messageOf(thrown)}`));
    },
    /**
     * Aborts running comparisons and checks of merged files. They store nothing afterwards, and the next engine repeats
     * them.
     */
    stop: (): void => stop.abort(),
  };
}

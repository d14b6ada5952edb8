/** The verdicts about two pieces of work, worst first. */
export const CLASH_VERDICTS = [
  /** Git could not merge them. */
  'conflict',
  /** A checker fails on the merged files and on neither side alone. */
  'clash_proved',
  /** The analysis found a use that the other side breaks. */
  'clash_likely',
  /** Both changed the same file, and git merges it. */
  'same_file',
  'not_compared',
  /** No checker ran, and the analysis found nothing. */
  'no_clash_found',
  /** A checker passed on the merged files. */
  'clear',
] as const;

export type ClashVerdict = (typeof CLASH_VERDICTS)[number];

/** A side of the comparison: a worktree, a branch or commit without one, a pull request, or a base. */
export interface ClashSide {
  /** Unique in the document: the branch, or the folder of a worktree without one. */
  readonly name: string;
  readonly kind: 'worktree' | 'revision' | 'pull_request';
  /** True if other sides are to be merged into it. */
  readonly is_base: boolean;
  /** The absolute path of the worktree; null if there is none. */
  readonly path: string | null;
  readonly branch: string | null;
  readonly head: string | null;
  /** The name of the side that it is to be merged into; null if none is known. */
  readonly base: string | null;
  /** The number of commits that the base lacks; null if unknown. */
  readonly commits: number | null;
  /** The number of files that are not committed. */
  readonly uncommitted: number;
  /** Why it can't be compared; null if it can. */
  readonly not_compared: string | null;
  readonly locked: boolean;
  readonly notes: readonly string[];
}

/** A line of one side. */
export interface ClashPlace {
  /** The name of the side. */
  readonly side: string;
  /** The path from the top of the repository. */
  readonly file: string;
  /** The line in the side's own text, from 1; null if the whole file is meant. */
  readonly line: number | null;
  readonly text: string;
  /** A remark, such as the old name of a renamed symbol. */
  readonly remark: string | null;
}

/** Two places, one on each side, that do not work together. */
export interface FoundClashPlaces {
  readonly kind: string;
  readonly name: string;
  readonly why: string;
  readonly places: readonly [ClashPlace, ClashPlace];
}

/** What a checker said about the merged files and about each side alone. */
export interface ClashCheckResult {
  readonly checker: string;
  readonly outcome: 'passed' | 'failed_together' | 'proves_nothing' | 'not_run';
  /** What was printed about the merged files and about neither side alone, or why it proves nothing. */
  readonly findings: readonly string[];
}

export interface ClashPair {
  readonly sides: readonly [string, string];
  readonly verdict: ClashVerdict;
  /** The files in conflict, with a clash, or changed by both. */
  readonly files: readonly string[];
  readonly reason: string | null;
  /** Two lines that show a conflict; empty if git shows none. */
  readonly places: readonly ClashPlace[];
  readonly clashes: readonly FoundClashPlaces[];
  readonly check: ClashCheckResult | null;
}

/** `clash`: the worktrees and branches that were compared, and the verdict about each pair. */
export interface ClashReport {
  readonly ok: true;
  readonly version: 1;
  readonly sides: readonly ClashSide[];
  /** Worst first. Pairs of which one side already has all of the other's work are left out. */
  readonly pairs: readonly ClashPair[];
  readonly counts: Readonly<Record<ClashVerdict, number>>;
  readonly notes: readonly string[];
}

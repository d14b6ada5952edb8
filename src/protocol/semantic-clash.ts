import type { Ordinal } from './count.ts';
import type { SessionId } from './id.ts';

/** The id used for the base branch in a pair of compared sessions. No session has this id. */
export const BASE_SIDE = 'base' as SessionId;

/** A line in one of the two compared branches. */
export interface ClashLine {
  readonly file: string;
  /** The line number, from 1, in the branch's own text. */
  readonly line: Ordinal;
  readonly text: string;
}

/** Two changes that git merges without a conflict and that do not fit together. */
export interface SemanticClash {
  /** The kind of change: `renamed`, `removed`, `signature`, and so on. */
  readonly kind: string;
  /** The symbol or file. */
  readonly name: string;
  readonly why: string;
  /** The session that changed the symbol, or `BASE_SIDE`. The other side of the pair uses the symbol. */
  readonly changer: SessionId;
  readonly change: ClashLine;
  readonly use: ClashLine;
  /** `proved`: the project's check fails on the merged files, in the file that uses the symbol. */
  readonly standing: 'likely' | 'proved';
}

/**
 * The semantic clashes between two sessions, or between a session and a base that has moved. An empty list means that
 * they were compared and no clash was found.
 */
export interface PairSemantics {
  readonly sessions: readonly [SessionId, SessionId];
  readonly clashes: readonly SemanticClash[];
}

/** Compares the changes of two commits since their common base. */
export interface SemanticVerdicts {
  /** Resolves to null if no verdict is possible now. Never rejects. */
  compare(worktree: string, ours: string, theirs: string): Promise<readonly FoundClash[] | null>;
}

/** A clash found by comparing two commits. Its changer is one of the two. */
export interface FoundClash extends Omit<SemanticClash, 'changer' | 'standing'> {
  readonly changer: 'ours' | 'theirs';
}

const lineText = ({ file, line, text }: ClashLine): string => `${file}:${line} ${text.trim()}`;

/** Returns one clash in a line: what changed, and what uses it. */
export const clashSummary = ({ name, why, change, use, standing }: SemanticClash): string =>
  `${standing}: ${use.file}:${use.line} uses ${name} of ${change.file}:${change.line}: ${why}`;

/** Returns one clash with both lines, for people. */
export const clashLines = (clash: SemanticClash): readonly string[] => [
  `${clash.standing === 'proved' ? 'proved by the check of the merged files' : 'likely'}: ${clash.name}: ${clash.why}`,
  `  changed  ${lineText(clash.change)}`,
  `  used     ${lineText(clash.use)}`,
];

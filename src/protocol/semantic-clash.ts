import type { SessionId } from './id.ts';

/** A line of one of two branches. */
export interface ClashLine {
  readonly file: string;
  /** The line number, from 1, in the branch's own text. */
  readonly line: number;
  readonly text: string;
}

/** Two changes that git merges without a conflict and that do not fit together. */
export interface SemanticClash {
  /** The kind of change: `renamed`, `removed`, `signature`, and so on. */
  readonly kind: string;
  /** The symbol or file. */
  readonly name: string;
  readonly why: string;
  /** The session that changed the symbol; the other one uses it. */
  readonly changer: SessionId;
  readonly change: ClashLine;
  readonly use: ClashLine;
  /** `proved`: the project's check fails on the merged files, at the file of the use. */
  readonly standing: 'likely' | 'proved';
}

/** What was found between two sessions. An empty list: they were compared, and fit together. */
export interface PairSemantics {
  readonly sessions: readonly [SessionId, SessionId];
  readonly clashes: readonly SemanticClash[];
}

/** Compares what two commits have changed since their common base. */
export interface SemanticVerdicts {
  /** Null: it can't be said now. Never rejects. */
  compare(worktree: string, ours: string, theirs: string): Promise<readonly FoundClash[] | null>;
}

/** A clash by the sides of a comparison. */
export interface FoundClash extends Omit<SemanticClash, 'changer' | 'standing'> {
  readonly changer: 'ours' | 'theirs';
}

import type { SymbolChangeKind } from './symbol-change.ts';

export type ClashKind = SymbolChangeKind | 'duplicate' | 'migration' | 'moved_file' | 'text';
export type BranchName = 'ours' | 'theirs';

export interface ClashSide {
  readonly branch: BranchName;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Two changes, one in each branch, that git merges without conflict but that probably don't work together. */
export interface LikelyClash {
  readonly kind: ClashKind;
  readonly name: string;
  readonly why: string;
  readonly change: ClashSide;
  readonly use: ClashSide;
}

import type { ZodRawShape } from 'zod';
import type { Worktree } from '../index/worktree.ts';
import type { GraphCache } from './file-graph.ts';

/** Stable codes of refused calls. */
export type ToolErrorCode =
  | 'bad_argument'
  | 'cancelled'
  | 'file_not_found'
  | 'internal'
  | 'not_indexed'
  | 'outside_root'
  | 'symbol_not_found'
  | 'unknown_commit';

/** A call that cannot be answered, with what to do about it. */
export class ToolFailure extends Error {
  readonly code: ToolErrorCode;
  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ToolContext {
  readonly worktree: Worktree;
  readonly graph: GraphCache;
  readonly version: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number) => void;
}

/** An answer for programs (`data`) and the same, compact, for people and models (`text`). */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Files whose content the answer shows: it is checked against the disk before it leaves. */
  readonly paths: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ZodRawShape;
  /** True if the tool itself brings the index up to date, or needs none. */
  readonly skipsFreshening?: boolean;
  readonly run: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<ToolAnswer> | ToolAnswer;
}

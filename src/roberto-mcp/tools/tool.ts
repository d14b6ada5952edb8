import type { ZodRawShape } from 'zod';
import type { Worktree } from '../index/worktree.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { GraphCache } from './file-graph.ts';
import type { ToolAnswer } from './bound-answer.ts';

/** Error codes of tool calls that can't be answered. Existing codes never change, because clients rely on them. */
type ToolErrorCode =
  | 'bad_argument'
  | 'cancelled'
  | 'file_not_found'
  | 'internal'
  | 'not_indexed'
  | 'outside_root'
  | 'symbol_not_found'
  | 'unknown_commit';

/** Thrown if a tool call cannot be answered. The message says what the caller can do. */
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
  readonly answers: AnswerCache<ToolAnswer>;
  readonly version: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number) => void;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ZodRawShape;
  /** True if the tool refreshes the index itself, or does not need it. */
  readonly skipsFreshening?: boolean;
  /** True if the answer depends only on the arguments and on the files of the worktree. */
  readonly isCacheable?: boolean;
  readonly run: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<ToolAnswer> | ToolAnswer;
}

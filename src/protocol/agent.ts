import type { FinishReason, ProviderName, TokenUsage } from './ai-call.ts';
import type { CallPlace } from './ai-service.ts';
import type { Approvals } from './approvals.ts';
import type { Access } from './graph.ts';
import type { Prompt } from './prompt.ts';

/** A conversation with an agent, as its last call left it. */
export interface AgentTalk {
  readonly conversation: string;
  readonly agent: string;
  /** The agent's own id of it; null: it has told none. */
  readonly session: string | null;
  /** Of the block, in its frame. */
  readonly visit: string | null;
  /** Ids of the segments that it has been told. */
  readonly seen: readonly string[];
  readonly call: string;
  /** `ok`, or the class of the failure; null: it is under way. */
  readonly outcome: string | null;
}

/** One execution of an agent, before it begins. */
export interface AgentCall {
  readonly conversation: string;
  readonly visit: string | null;
  readonly seen: readonly string[];
  readonly place: CallPlace;
  readonly agent: string;
  readonly provider: ProviderName;
  readonly model: string | null;
  readonly approvals: Approvals;
  readonly prompt: Prompt;
  /** The agent's own id of the conversation that goes on; null: a new one. */
  readonly resumed: string | null;
}

export interface AgentCallEnd {
  /** `ok`, or the class of the failure. */
  readonly outcome: string;
  readonly text: string | null;
  readonly finish: FinishReason;
  readonly model: string | null;
  readonly usage: TokenUsage | null;
  /** As the agent says, in millionths of a US dollar; null: it says nothing. */
  readonly costMicroUsd: number | null;
  readonly exitCode: number | null;
  readonly error: string | null;
  /** How it came: the beginning. */
  readonly raw: string;
  readonly firstTextMs: number | null;
}

export interface OpenAgentCall {
  /** Its name in the call log. */
  readonly call: string;
  /** The agent has told its own id of the conversation: kept at once, so that a crash doesn't lose it. */
  heard(session: string): void;
  /** Keeps the record; gives what it cost, null when nobody knows. */
  end(ended: AgentCallEnd): Promise<{ readonly costMicroUsd: number | null }>;
}

/** Something that an agent changed and may not. */
export interface Trespass {
  /** Relative to the worktree, with `/`; git's own files as `.git/…`. */
  readonly path: string;
  readonly what: 'added' | 'changed' | 'removed' | 'mode' | 'leads out' | 'moved';
  /** Is it as it was before? */
  readonly restored: boolean;
}

export interface GuardReport {
  /** What it changed and may change. */
  readonly changed: readonly string[];
  readonly trespasses: readonly Trespass[];
  /** Where its versions of what was put back are, relative to the project; null: nowhere. */
  readonly rescued: string | null;
  /** Changed outside of its access while other steps worked in the same folder: nobody can tell by whom, so it stays. */
  readonly unclear: readonly string[];
}

/** Looks after one worktree while an agent works in it. */
export interface Watch {
  /** Puts back what lies outside of its access; never throws for what can't be put back. */
  end(): Promise<GuardReport>;
}

/** What processes change that can't be intercepted is checked afterwards (spec/workers.md "Who may write where"). */
export interface WorktreeGuard {
  /** `key`: of the step, so that it is found after a crash. Nothing may have begun. */
  watch(key: string, root: string, access: Access): Promise<Watch>;
  /** Ends the watch that a crash has left; null: there is none. */
  endLeft(key: string): Promise<GuardReport | null>;
  /** Another step works in this folder until it is told; `paths` null: nobody knows what it changes. */
  others(root: string, paths: readonly string[] | null): () => void;
}

/** What a coding agent needs of its engine. */
export interface AgentService {
  /** Null: they have not talked yet. What broke off with its engine is put into the log. */
  last(conversation: string): AgentTalk | null;
  begin(call: AgentCall): OpenAgentCall;
  /** Takes keys, and the values of these variables, out of a text. */
  redactor(names: readonly string[]): (text: string) => string;
  readonly guard: WorktreeGuard;
  /** For people. */
  warn(message: string): void;
}

/** Coding agents for the runs of one project. */
export interface AgentCalls {
  readonly service: AgentService;
}

import type { Environment } from './environment.ts';
import type { FinishReason, TokenUsage } from './ai-call.ts';
import type { ProviderName } from './provider.ts';
import type { CallPlace } from './ai-service.ts';
import type { Approvals } from './approvals.ts';
import type { Access } from './graph.ts';
import type { Prompt } from './prompt.ts';
import type { PrivatePlaces, SandboxProbe } from './sandbox.ts';

/** The state of a conversation with an agent after its last call. */
export interface AgentConversation {
  readonly conversation: string;
  readonly agent: string;
  /** The agent's own id of the conversation; null before it has reported one. */
  readonly session: string | null;
  /** The visit of the block, within its frame. */
  readonly visit: string | null;
  /** Ids of the segments that the agent has received. */
  readonly seen: readonly string[];
  readonly call: string;
  /** `ok`, or the class of the failure; null while the call is running. */
  readonly outcome: string | null;
}

/** One execution of an agent, before it starts. */
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
  /** The agent's own id of the conversation to continue; null starts a new one. */
  readonly resumed: string | null;
}

export interface AgentCallEnd {
  /** `ok`, or the class of the failure. */
  readonly outcome: string;
  readonly text: string | null;
  readonly finish: FinishReason;
  readonly model: string | null;
  readonly usage: TokenUsage | null;
  /** The cost that the agent reports, in millionths of a US dollar; null if it reports none. */
  readonly costMicroUsd: number | null;
  /** Which of these figures count all calls of the conversation. Absent: none. */
  readonly cumulative?: { readonly cost: boolean; readonly usage: boolean };
  readonly exitCode: number | null;
  readonly error: string | null;
  /** The beginning of the agent's raw output. */
  readonly raw: string;
  readonly firstTextMs: number | null;
}

interface OpenAgentCall {
  /** The call's name in the call log. */
  readonly call: string;
  /** Stores the agent's own id of the conversation at once, so that a crash doesn't lose it. */
  heard(session: string): void;
  /** Writes the record and resolves to what this call has used; a cost or usage of null is unknown. */
  end(ended: AgentCallEnd): Promise<{ readonly costMicroUsd: number | null; readonly usage: TokenUsage | null }>;
}

/** A change that an agent made outside of its access. */
export interface Trespass {
  /** Relative to the worktree, with `/`; git's own files as `.git/…`. */
  readonly path: string;
  readonly what: 'added' | 'changed' | 'removed' | 'mode' | 'leads out' | 'moved' | 'staged';
  /** Whether the file has its former content again. */
  readonly restored: boolean;
}

export interface GuardReport {
  /** Files that the agent changed within its access. */
  readonly changed: readonly string[];
  readonly trespasses: readonly Trespass[];
  /**
   * The folder that holds the agent's versions of restored files, relative to the project; null if there are none.
   */
  readonly rescued: string | null;
  /**
   * Files changed outside of its access while other steps worked in the same folder. They stay, since the author is
   * unknown.
   */
  readonly unclear: readonly string[];
}

/** Guards one worktree while an agent works in it. */
interface Watch {
  /** Restores what was changed outside of the access. Never throws for a file that can't be restored. */
  end(): Promise<GuardReport>;
}

/** Checks a worktree for changes of processes that can't be intercepted, after they have ended. */
export interface WorktreeGuard {
  /** Starts a watch before a process begins. `key` is the step's key, by which the watch is found after a crash. */
  watch(key: string, root: string, access: Access): Promise<Watch>;
  /** Ends the watch that a crash left behind; null if there is none. */
  endLeft(key: string): Promise<GuardReport | null>;
  /**
   * Registers another step that works in this folder until the returned function is called. `paths` is null if its
   * changes are unknown.
   */
  others(root: string, paths: readonly string[] | null): () => void;
}

/** The command that starts a code-analysis server (`roberto-mcp`) of one worktree, for an agent's MCP configuration. */
export interface AnalysisServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Names of the environment variables that the files of a folder set for a program that reads them by itself. */
export interface ProjectVariables {
  /** Variables in files of the folder and its parent folders. */
  readonly project: readonly string[];
  /** Variables in files of the user's home folder. */
  readonly user: readonly string[];
}

/** The files from which a program reads environment variables by itself. */
export interface EnvironmentFiles {
  /** Paths relative to a folder. The program looks for them in its working folder, all parents, and the home folder. */
  readonly files: readonly string[];
  /** The variable with the folder that the program uses as the home folder, or null if it has none. */
  readonly home: string | null;
}

/** What a coding agent's worker needs of the engine. */
export interface AgentService {
  /**
   * Returns the code-analysis server that an agent in this worktree may start, or null if there is none or the user has
   * turned code analysis off.
   */
  analysisServer(worktree: string): Promise<AnalysisServer | null>;
  /**
   * Returns the last state of a conversation, or null for a new one. A call that was cut off by the end of its engine
   * is added to the log.
   */
  last(conversation: string): AgentConversation | null;
  begin(call: AgentCall): OpenAgentCall;
  /** Returns the variables that such files would set for a program that works in this folder. */
  projectVariables(folder: string, files: EnvironmentFiles, environment?: Environment): Promise<ProjectVariables>;
  /** Returns a function that removes keys, and the values of these variables, from a text. */
  redactor(names: readonly string[], environment?: Environment): (text: string) => string;
  /** Returns whether a text contains one of the user's keys. */
  hasKey(text: string): boolean;
  readonly guard: WorktreeGuard;
  /** Returns whether this machine can make sandboxes. The first call tries it; later ones return its result. */
  probeSandbox(): Promise<SandboxProbe>;
  /** Returns the places that a sandboxed process in this worktree must not read. */
  privatePlaces(worktree: string): Promise<PrivatePlaces>;
  /** Reports a problem to the user. */
  warn(message: string): void;
}

/** Coding agents for the runs of one project. */
export interface AgentCalls {
  readonly service: AgentService;
}

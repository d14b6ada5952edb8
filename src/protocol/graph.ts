import { oneLine } from './plain-text.ts';
import type { Approvals } from './approvals.ts';
import type { Place } from './diagnostic.ts';
import type { BlockId, NodeId, Signal } from './id.ts';
import type { Inputs } from './inputs.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Rule } from './rule.ts';

/** Whether an execution has side effects and may be repeated. An unknown class counts as `non_idempotent`. */
export type SideEffects = 'none' | 'idempotent' | 'non_idempotent';

/** A parsed action; docs/reference/engine.md has the grammar. */
export type Action =
  | { readonly kind: 'jump'; readonly target: BlockId }
  /** `returnTo: null` is a tail call: the callee's RETURN ends the caller's frame as well. */
  | { readonly kind: 'call'; readonly node: NodeId; readonly returnTo: BlockId | null }
  | { readonly kind: 'fork'; readonly nodes: readonly NodeId[]; readonly returnTo: BlockId | null }
  | { readonly kind: 'return' }
  | { readonly kind: 'halt' };

export interface ConditionRef {
  readonly id: string;
  readonly args: readonly JsonValue[];
}

/** A row of a block's transition table, in written order. */
export interface Transition {
  /** The row's position in the block's table, from 0. */
  readonly row: number;
  readonly signal: Signal;
  readonly condition: ConditionRef | null;
  readonly action: Action;
  /** The action in its normal form: full block ids, no `Block:`/`Node:` prefix, no implicit return address. */
  readonly text: string;
  /** The meaning of the signal, for the model that chooses it; absent if the manifest does not define it. */
  readonly means?: string;
}

export type MergeInstruction =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'last'; readonly type: string; readonly count: number }
  | { readonly kind: 'block'; readonly block: BlockId }
  | { readonly kind: 'static_memory'; readonly key: string }
  | { readonly kind: 'export'; readonly key: string }
  | { readonly kind: 'text'; readonly text: string };

export type RecoveryPolicy =
  | {
      readonly policy: 'retry';
      /** The maximum number of executions of one request, including the first one. */
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly backoff: number;
      readonly jitter: number;
      /**
       * Repeats the execution even if its side effects are `non_idempotent`. Allowed only for `evidence_failed`,
       * because that failure occurs only after the execution has ended.
       */
      readonly repeatsEffects?: true;
    }
  | { readonly policy: 'repair'; readonly worker: string }
  | { readonly policy: 'bubble' };

export interface Access {
  readonly mode: 'strict' | 'partial' | 'shared';
  readonly paths: readonly string[];
  /** True if the manifest lists the writable paths. The change plan then adds none. */
  readonly isListed?: true;
  /** True if the manifest sets an access mode without a list of paths. */
  readonly isGiven?: true;
  /**
   * The session's change plan: the block may write its paths as well. Absent without a session, or if the block lists
   * its own paths.
   */
  readonly plan?: { readonly written: readonly string[]; readonly globs: readonly string[] };
}

/** Returns whether the manifest itself defines where a block may write. */
export const hasOwnAccess = ({ mode, isListed, isGiven }: Access): boolean =>
  mode !== 'partial' || isListed === true || isGiven === true;

export interface Validation {
  /** Emits `SIGNAL:SUCCESS` if the answer contains the keyword, else `SIGNAL:FAILURE`. */
  readonly keyword: string | null;
  /** JSON Schema for the JSON in the answer. */
  readonly schema: JsonObject | boolean | null;
}

/** The data that an answer must contain. */
export interface AnswerData {
  readonly schema: JsonObject | boolean;
}

/**
 * A check that the engine makes before it accepts a success. Evidence without a kind was written by an early version
 * and always fails.
 */
export type Evidence =
  | {
      readonly kind: 'command';
      readonly command: readonly string[];
      readonly timeoutMs: number | null;
      /** True: tests of which none ran have passed. */
      readonly allowEmpty?: true;
      /** True: the command runs in a sandbox. */
      readonly sandbox?: true;
    }
  /** `file` may be a glob. */
  | { readonly kind: 'file'; readonly file: string; readonly contains: string | null };

/** A block of the compiled graph. Every optional setting of the manifest has its default here. */
export interface GraphBlock {
  readonly id: BlockId;
  readonly name: string;
  readonly node: NodeId;
  readonly worker: string;
  readonly contract: string | null;
  readonly artifact: readonly string[];
  readonly contextSlice: string | null;
  readonly mergeStrategy: readonly MergeInstruction[];
  readonly gate: boolean;
  /**
   * The maximum number of times that a person may reject the work of this block, over all visits in a frame; 3 if
   * absent.
   */
  readonly maxRejections?: number;
  readonly timeoutMs: number | null;
  readonly sideEffects: SideEffects | null;
  readonly access: Access;
  /** Recovery policies in the order in which they are tried, keyed by failure reason or `*`. */
  readonly recovery: Readonly<Record<string, readonly RecoveryPolicy[]>>;
  readonly evidence: readonly Evidence[];
  readonly validation: Validation | null;
  /** Absent for a block whose answer needs no data. */
  readonly answer?: AnswerData;
  /** Worker-specific settings of the block (`params` in the manifest). */
  readonly params: JsonObject;
  readonly transitions: readonly Transition[];
  /** The block after this one in declaration order. */
  readonly next: BlockId | null;
  readonly origin: Place;
}

/** A node of the compiled graph. */
export interface GraphNode {
  readonly id: NodeId;
  readonly entryBlock: BlockId;
  /** False makes the node a context boundary. */
  readonly contextInheritance: boolean;
  readonly staticMemory: JsonObject;
  readonly maxSteps: number;
  /** The widest permission of agents in this node and in the nodes that it calls. Absent: the node sets no limit. */
  readonly approvals?: Approvals;
  readonly blocks: readonly GraphBlock[];
  readonly origin: Place;
}

/** A worker that the manifest declares. */
export interface WorkerDefinition {
  readonly name: string;
  readonly kind: 'ai' | 'command' | 'agent' | 'scripted' | 'module';
  readonly persona: string | null;
  readonly outputType: string;
  readonly sideEffects: SideEffects;
  /** The definition as written, with its shape checked: provider, model, command, preset, answers and so on. */
  readonly settings: JsonObject;
  readonly origin: Place;
}

/** A checked manifest in which the target of every edge exists. Plain data, in declaration order. */
export interface Graph {
  readonly entry: NodeId | null;
  readonly limits: {
    readonly maxRunSteps: number;
    readonly maxDepth: number;
    readonly maxParallel: number;
  };
  readonly nodes: readonly GraphNode[];
  readonly workers: readonly WorkerDefinition[];
  /** Statements about all runs. Absent: the manifest has none. */
  readonly rules?: readonly Rule[];
  /** The values that a run needs. Absent: its input is free text. */
  readonly inputs?: Inputs;
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** The names of the commands that may run no test. Absent: none. */
  readonly allowEmpty?: readonly string[];
  readonly contextSlices: JsonObject;
  readonly worktree: JsonObject;
  readonly budgets: JsonObject;
  /** Which finished runs are removed. Absent: none are. */
  readonly retention?: JsonObject;
  readonly pools: JsonObject;
}

/** The maximum length of the description of a piece of evidence, in characters. */
const LONGEST_EVIDENCE = 200;

/** Describes a piece of evidence in words, for people and models. */
export const evidenceText = (evidence: Evidence): string =>
  oneLine(
    evidence.kind === 'command'
      ? evidence.command.join(' ')
      : evidence.contains === null
        ? `file ${evidence.file}`
        : `file ${evidence.file} with "${evidence.contains}"`,
    LONGEST_EVIDENCE,
  );

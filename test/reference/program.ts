import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** The input of the naive interpreter: the contents of an uncompiled manifest. */
export interface Program {
  readonly nodes: ReadonlyMap<string, ProgramNode>;
  readonly blocks: ReadonlyMap<string, ProgramBlock>;
  readonly maxRunSteps: number;
  readonly maxDepth: number;
  /** The inputs that the manifest declares, each with its default, or null if it has none. */
  readonly inputs: ReadonlyMap<string, JsonValue>;
}

export interface ProgramNode {
  readonly id: string;
  readonly entry: string;
  readonly maxSteps: number;
  readonly inherits: boolean;
  readonly staticMemory: JsonObject;
}

export interface ProgramBlock {
  readonly id: string;
  readonly node: string;
  readonly next: string | null;
  readonly worker: ProgramWorker;
  readonly contract: string | null;
  readonly strategy: readonly string[];
  readonly gate: boolean;
  readonly maxRejections: number;
  readonly timeoutMs: number | null;
  readonly sideEffects: string | null;
  readonly keyword: string | null;
  readonly schema: JsonObject | boolean | null;
  /** The schema of `answer`; null if the block has none. */
  readonly data: JsonObject | boolean | null;
  readonly recovery: ReadonlyMap<string, readonly Policy[]>;
  readonly rows: readonly Row[];
  readonly params: JsonObject;
  /** Descriptions of the checks that must hold before a success counts. */
  readonly evidence: readonly string[];
}

export interface ProgramWorker {
  readonly name: string;
  readonly persona: string | null;
  readonly outputType: string;
  readonly sideEffects: string;
}

export type Policy =
  | {
      readonly kind: 'retry';
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly backoff: number;
      readonly repeatsEffects: boolean;
    }
  | { readonly kind: 'repair'; readonly worker: string }
  | { readonly kind: 'bubble' };

export interface Condition {
  readonly id: string;
  readonly args: readonly JsonValue[];
}

export interface Row {
  readonly signal: string;
  readonly condition: Condition | null;
  readonly action: ProgramAction;
}

export type ProgramAction =
  | { readonly kind: 'jump'; readonly to: string; readonly text: string }
  | {
      readonly kind: 'call' | 'fork';
      readonly nodes: readonly string[];
      readonly returnTo: string | null;
      readonly text: string;
    }
  | { readonly kind: 'return'; readonly text: string }
  | { readonly kind: 'halt'; readonly text: string };

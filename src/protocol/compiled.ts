import type { Diagnostic } from './diagnostic.ts';
import type { Graph } from './graph.ts';
import type { NodeId } from './id.ts';
import type { JsonObject } from './json.ts';

/** The text of one manifest file. `path` as shown to people, with `/`; imports resolve against it. */
export interface ManifestSource {
  readonly path: string;
  readonly text: string;
}

/** An XState v5 machine config as plain JSON: only names and `$` markers, no function. */
export type MachineConfig = JsonObject;

/** One machine a node, and the frame machine whose states are the nodes. Configs are made when first asked for. */
export interface CompiledWorkflow {
  readonly graph: Graph;
  /** The trampoline: the root of every run, and what each CALL and branch invokes. */
  readonly frame: MachineConfig;
  config(node: NodeId): MachineConfig;
}

export interface Compilation {
  /** Null when a diagnostic is an error. */
  readonly workflow: CompiledWorkflow | null;
  /** Every finding, in order of file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The manifest after imports, extend, mixins and sugar, with the origin of every block; null when it could not be resolved. */
  readonly resolved: JsonObject | null;
}

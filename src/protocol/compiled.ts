import type { Diagnostic } from './diagnostic.ts';
import type { Graph } from './graph.ts';
import type { NodeId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { JudgedRule } from './rule-verdict.ts';

/** The text of one manifest file. `path` is shown to people, with `/`; imports resolve against it. */
export interface ManifestSource {
  readonly path: string;
  readonly text: string;
}

/** An XState v5 machine config as plain JSON: names and `$` markers, no functions. */
export type MachineConfig = JsonObject;

/**
 * A compiled workflow: one machine per node, and the frame machine whose states are the nodes. Configs are made on
 * first use.
 */
export interface CompiledWorkflow {
  readonly graph: Graph;
  /** The config of the frame machine: the root of every run, and what each CALL and each branch invokes. */
  readonly frame: MachineConfig;
  config(node: NodeId): MachineConfig;
}

/** The result of compiling a manifest. */
export interface Compilation {
  /** Null if a diagnostic is an error. */
  readonly workflow: CompiledWorkflow | null;
  /** The rules of the manifest with the answer to each; empty if it has none, or an error of another kind. */
  readonly rules: readonly JudgedRule[];
  /** Every finding, in order of file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The manifest with imports, `extend`, mixins and shorthand forms expanded, and with the origin of each block; null
   * if it could not be resolved.
   */
  readonly resolved: JsonObject | null;
}

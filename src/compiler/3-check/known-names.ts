import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { nodeId } from '../2-resolve/ids.ts';
import type { ResolveOptions } from '../2-resolve/resolve.ts';
import type { ResolvedBlock, ResolvedManifest, ResolvedNode } from '../2-resolve/resolved-manifest.ts';

/** Facts that the caller supplies beside the manifest's text. */
export interface CompileOptions extends ResolveOptions {
  /** The reason why the registry's file can't be read. Its names are unknown then. */
  readonly registryProblem?: string;
  /** Names of conditions beside the built-in ones. */
  readonly conditions?: ReadonlySet<string>;
  /** The patterns of `artifact` that match no file of the project. */
  readonly unmatchedArtifacts?: ReadonlySet<string>;
  /** The reasons why the answers of scripted workers can't be read, by worker. */
  readonly answerProblems?: ReadonlyMap<string, string>;
  /** True if rules are read but not decided, for simulations: they execute nothing, and show how a rule is broken. */
  readonly ignoreRules?: true;
  /** The built-in workers and keys of blocks that have no effect in this engine. Using one is reported as a warning. */
  readonly notInForce?: ReadonlySet<string>;
}

/** All names that a manifest can refer to. */
export interface KnownNames {
  readonly manifest: ResolvedManifest;
  readonly nodes: ReadonlyMap<NodeId, ResolvedNode>;
  readonly blocks: ReadonlyMap<BlockId, ResolvedBlock>;
  readonly internalWorkers: ReadonlySet<string>;
  readonly registry: ReadonlySet<string>;
  readonly registryProblem: string | null;
  readonly conditions: ReadonlySet<string>;
  readonly unmatchedArtifacts: ReadonlySet<string>;
  readonly answerProblems: ReadonlyMap<string, string>;
  readonly notInForce: ReadonlySet<string>;
  readonly commands: Graph['commands'];
  /** True if the project's files may suggest commands that are not known here. */
  readonly mayHaveOtherCommands: boolean;
  /** The keys of every node's static memory. */
  readonly memoryKeys: ReadonlySet<string>;
  /** The blocks that misspelt targets probably mean. They count as reached, so that no warning is based on a typo. */
  readonly presumed: Set<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function knownNames(manifest: ResolvedManifest, options: CompileOptions): KnownNames {
  return {
    manifest,
    nodes: new Map(manifest.nodes.map((node) => [node.id, node])),
    blocks: new Map(manifest.nodes.flatMap((node) => node.blocks).map((block) => [block.id, block])),
    internalWorkers: new Set([...BUILT_IN_WORKER_NAMES, ...(options.internalWorkers ?? NONE)]),
    registry: options.registry ?? NONE,
    registryProblem: options.registryProblem ?? null,
    conditions: options.conditions ?? NONE,
    unmatchedArtifacts: options.unmatchedArtifacts ?? NONE,
    answerProblems: options.answerProblems ?? new Map(),
    notInForce: options.notInForce ?? NONE,
    commands: options.commands ?? {},
    mayHaveOtherCommands: options.mayHaveOtherCommands === true,
    memoryKeys: new Set(manifest.nodes.flatMap((node) => Object.keys(node.staticMemory))),
    presumed: new Set(),
  };
}

/** Returns whether an id belongs to a node whose blocks are not fully known. A missing block is not reported then. */
export function isUncertain(id: string, { nodes, manifest }: KnownNames): boolean {
  if (manifest.malformed.has('nodes')) return true;
  const end = id.indexOf('__');
  return end > 0 && nodes.get(nodeId(id.slice(0, end)))?.complete === false;
}

import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { nodeId } from '../2-resolve/ids.ts';
import type { ImportOptions } from '../2-resolve/order-files.ts';
import type { SchemaOptions } from '../2-resolve/read-schema.ts';
import type { ResolvedBlock, ResolvedManifest, ResolvedNode } from '../2-resolve/resolved-manifest.ts';

/** The facts that the caller knows in addition to the manifest's text. */
export interface CompileOptions extends SchemaOptions, ImportOptions {
  /** Worker names in the project's registry. The next two options name conditions and workers that a host adds. */
  readonly registry?: ReadonlySet<string>;
  /** The error in the registry file that made its names unknown, if any. */
  readonly registryProblem?: string;
  readonly conditions?: ReadonlySet<string>;
  readonly internalWorkers?: ReadonlySet<string>;
  /** Commands found in the project's own files, by name. Commands of the manifest override them. */
  readonly commands?: Graph['commands'];
  /** Patterns of `artifact` that match no file of the project. */
  readonly unmatchedArtifacts?: ReadonlySet<string>;
  /** The reason why the answers of a scripted worker can't be read, by worker. */
  readonly answerProblems?: ReadonlyMap<string, string>;
  /** Built-in workers and keys of blocks that this engine accepts without effect. */
  readonly notInForce?: ReadonlySet<string>;
}

/** All names that a reference in the manifest can resolve to. */
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
  /** Commands found in the project's own files, by name. */
  readonly commands: Graph['commands'];
  /** Keys of static memory in all nodes. */
  readonly memoryKeys: ReadonlySet<string>;
  /** Blocks and nodes that a misspelt target probably means. They count as reached, to avoid follow-up warnings. */
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
    memoryKeys: new Set(manifest.nodes.flatMap((node) => Object.keys(node.staticMemory))),
    presumed: new Set(),
  };
}

/**
 * Returns true if an id belongs to a node whose blocks are not fully known, so that its absence must not be reported.
 */
export function isUncertain(id: string, { nodes, manifest }: KnownNames): boolean {
  if (manifest.malformed.has('nodes')) return true;
  const end = id.indexOf('__');
  return end > 0 && nodes.get(nodeId(id.slice(0, end)))?.complete === false;
}

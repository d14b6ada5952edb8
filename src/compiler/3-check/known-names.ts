import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { nodeId } from '../2-resolve/ids.ts';
import type { ImportOptions } from '../2-resolve/order-files.ts';
import type { SchemaOptions } from '../2-resolve/read-schema.ts';
import type { ResolvedBlock, ResolvedManifest, ResolvedNode } from '../2-resolve/resolved-manifest.ts';

/** What is known beside the manifest's own text. */
export interface CompileOptions extends SchemaOptions, ImportOptions {
  /** Names of the registry, and of conditions and workers that a host adds. */
  readonly registry?: ReadonlySet<string>;
  /** Why the names of the registry are not known: what is wrong with its file. */
  readonly registryProblem?: string;
  readonly conditions?: ReadonlySet<string>;
  readonly internalWorkers?: ReadonlySet<string>;
  /** What the project's own files say; a command of the manifest wins. */
  readonly commands?: Graph['commands'];
  /** Patterns of `artifact` that match no file of the project. */
  readonly unmatchedArtifacts?: ReadonlySet<string>;
  /** Why the answers of scripted workers can't be read, by worker. */
  readonly answerProblems?: ReadonlyMap<string, string>;
  /** Built-in workers and keys of blocks that this engine accepts and does nothing about. */
  readonly notInForce?: ReadonlySet<string>;
}

/** Everything that a name in the manifest can mean. */
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
  /** The project's own commands, by name. */
  readonly commands: Graph['commands'];
  /** Keys of any node's static memory. */
  readonly memoryKeys: ReadonlySet<string>;
  /** Blocks that a misspelt target probably means: reached, as far as warnings go. */
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

/** Does the id belong to a node whose blocks are not fully known? Then that it is missing is no news. */
export function isUncertain(id: string, { nodes, manifest }: KnownNames): boolean {
  if (manifest.malformed.has('nodes')) return true;
  const end = id.indexOf('__');
  return end > 0 && nodes.get(nodeId(id.slice(0, end)))?.complete === false;
}

import type { Graph, GraphNode } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readNumber, readObject, readString } from '../1-parse/json-reader.ts';
import type { Declarations } from '../2-resolve/collect-declarations.ts';
import { readProjectCommand } from '../2-resolve/desugar-check.ts';
import { nodeId, withoutPrefix } from '../2-resolve/ids.ts';
import type { ResolvedManifest, ResolvedNode } from '../2-resolve/resolved-manifest.ts';
import { checkEntryBlock, readInputDeclarations } from './check-node.ts';
import { type CompileOptions, knownNames, type KnownNames } from './known-names.ts';
import { type CheckedBlock, readBlock } from './read-block.ts';
import { readRules } from './read-rules.ts';
import { readWorker } from './read-worker.ts';
import { warnOfArtifacts, warnOfIneffectiveSettings } from './warn-of-settings.ts';
import { warnOfEndlessCycles } from './warn-of-endless-cycles.ts';
import { warnOfUnknownPlaceholders, warnOfUselessSlice } from './warn-of-slices.ts';
import { warnOfPaidLoops } from './warn-of-paid-loops.ts';
import { warnOfRows } from './warn-of-rows.ts';
import { warnOfEmptyVerdicts } from './warn-of-empty-verdicts.ts';
import { warnOfUnreached } from './warn-of-unreached.ts';

interface CheckedNode {
  readonly node: ResolvedNode;
  readonly entryBlock: BlockId | null;
  readonly blocks: readonly CheckedBlock[];
}

function checkEntry({ root }: ResolvedManifest, names: KnownNames, { report, nearest }: Diagnose): NodeId | null {
  const written = readString(root, 'entry');
  if (written === null) return null;
  const entry = nodeId(withoutPrefix(written, 'Node:'));
  if (names.nodes.has(entry)) return entry;
  if (names.manifest.malformed.has('nodes')) return null;
  const near = nearest(entry, names.nodes.keys());
  if (near !== null) names.presumed.add(near);
  report('RS2021', { container: root, member: 'entry' }, { entry }, { near });
  return null;
}

/** Returns the node that resolves conflicts of sessions, or null if none is named or it doesn't exist. */
function checkResolver({ root }: ResolvedManifest, names: KnownNames, { report, nearest }: Diagnose): NodeId | null {
  const worktree = readObject(root, 'worktree');
  const written = worktree === null ? null : readString(worktree, 'resolver');
  if (worktree === null || written === null) return null;
  const resolver = nodeId(withoutPrefix(written, 'Node:'));
  if (names.nodes.has(resolver)) return resolver;
  if (names.manifest.malformed.has('nodes')) return null;
  const near = nearest(resolver, names.nodes.keys());
  if (near !== null) names.presumed.add(near);
  const spot = { container: worktree, member: 'resolver' };
  report('RS2014', spot, { node: resolver, action: 'worktree.resolver' }, { near });
  return null;
}

function checkNodes(manifest: ResolvedManifest, names: KnownNames, diagnose: Diagnose): readonly CheckedNode[] {
  if (manifest.nodes.length === 0 && !manifest.malformed.has('nodes'))
    diagnose.report('RS3004', { container: manifest.root, member: 'nodes', side: 'key' }, {});
  return manifest.nodes.map((node) => ({
    node,
    entryBlock: checkEntryBlock(node, diagnose),
    blocks: node.blocks.map((block) => readBlock(block, node, names, diagnose)),
  }));
}

/** The nodes that the manifest names as starting points. */
interface Starts {
  readonly entry: NodeId | null;
  readonly resolver: NodeId | null;
}

/**
 * Returns the blocks that runs may start at. Without a known entry, runs may start at any node. For a misspelt name,
 * the block that it probably means is included.
 */
function findStarts(
  checked: readonly CheckedNode[],
  { entry, resolver }: Starts,
  { presumed }: KnownNames,
): readonly BlockId[] {
  const isStart = ({ node }: CheckedNode): boolean =>
    entry === null || node.id === entry || node.id === resolver || node.isBase || presumed.has(node.id);
  const entries = checked.filter(isStart).flatMap(({ entryBlock }) => (entryBlock === null ? [] : [entryBlock]));
  const meant = checked.flatMap(({ blocks }) => blocks.map(({ block }) => block.id)).filter((id) => presumed.has(id));
  return [...entries, ...meant];
}

function warn(checked: readonly CheckedNode[], named: Starts, names: KnownNames, diagnose: Diagnose): void {
  const blocks = checked.flatMap((node) => node.blocks);
  const entryBlocks = new Map(
    checked.flatMap(({ node, entryBlock }) => (entryBlock === null ? [] : [[node.id, entryBlock] as const])),
  );
  for (const block of blocks) {
    warnOfRows(block, names, diagnose);
    warnOfArtifacts(block, names, diagnose);
    warnOfUselessSlice(block, names, diagnose);
    warnOfIneffectiveSettings(block, names, diagnose);
  }
  warnOfUnknownPlaceholders(names, diagnose);
  warnOfEndlessCycles(blocks, entryBlocks, diagnose);
  warnOfPaidLoops(blocks, entryBlocks, names.manifest, diagnose);
  const isKnown =
    entryBlocks.size === checked.length &&
    blocks.every(({ resolved }) => resolved.complete) &&
    checked.every(({ node }) => node.complete);
  const fromBases = checked
    .filter(({ node }) => node.isBase)
    .flatMap((node) => node.blocks.map(({ block }) => block.id));
  // Rows that can't be read could lead to any block, so unreachable blocks are not reported then.
  if (!isKnown) return;
  warnOfEmptyVerdicts(blocks, diagnose);
  warnOfUnreached({ blocks, entryBlocks, starts: [...findStarts(checked, named, names), ...fromBases] }, diagnose);
}

const limit = (root: JsonObject, key: string, otherwise: number): number => readNumber(root, key) ?? otherwise;

function toNode({ node, entryBlock, blocks }: CheckedNode, maxSteps: number, { at }: Diagnose): readonly GraphNode[] {
  if (entryBlock === null) return [];
  const { id, staticMemory } = node;
  const contextInheritance = node.contextInheritance ?? true;
  return [
    {
      id,
      entryBlock,
      contextInheritance,
      staticMemory,
      maxSteps: node.maxSteps ?? maxSteps,
      ...(node.approvals === null ? {} : { approvals: node.approvals }),
      blocks: blocks.map(({ block }) => block),
      origin: at(node.spot).place,
    },
  ];
}

const toObject = (declarations: Declarations): JsonObject =>
  Object.fromEntries([...declarations.values()].map(({ name, value }) => [name, value]));

const toCommands = (declarations: Declarations): Graph['commands'] =>
  Object.fromEntries([...declarations.values()].map(({ name, value }) => [name, readProjectCommand(value).argv]));

const namesAllowedEmpty = (declarations: Declarations): readonly string[] =>
  [...declarations.values()].filter(({ value }) => readProjectCommand(value).allowEmpty).map(({ name }) => name);

function toGraph(
  manifest: ResolvedManifest,
  entry: NodeId | null,
  checked: readonly CheckedNode[],
  names: KnownNames,
  diagnose: Diagnose,
): Graph {
  const { root } = manifest;
  const workers = [...manifest.workers.values()].map((worker) => readWorker(worker, names, diagnose));
  const maxSteps = limit(root, 'max_steps', 128);
  const inputs = readInputDeclarations(root, diagnose);
  const retention = readObject(root, 'retention');
  const allowEmpty = namesAllowedEmpty(manifest.commands);
  const commands = { ...names.commands, ...toCommands(manifest.commands) };
  const rules = readRules(names, commands, diagnose);
  return {
    entry,
    limits: {
      maxRunSteps: limit(root, 'max_run_steps', 10_000),
      maxDepth: limit(root, 'max_depth', 256),
      maxParallel: limit(root, 'max_parallel', 4),
    },
    nodes: checked.flatMap((node) => toNode(node, maxSteps, diagnose)),
    workers: workers.filter((worker) => worker !== null),
    ...(inputs === null ? {} : { inputs }),
    ...(rules.length === 0 ? {} : { rules }),
    commands,
    ...(allowEmpty.length === 0 ? {} : { allowEmpty }),
    contextSlices: toObject(manifest.contextSlices),
    worktree: readObject(root, 'worktree') ?? {},
    budgets: readObject(root, 'budgets') ?? {},
    ...(retention === null ? {} : { retention }),
    pools: toObject(manifest.pools),
  };
}

/**
 * Checks a resolved manifest and converts it to a graph: every name is looked up, and every edge ends at a block.
 * Returns null if there is any error, here or in an earlier phase.
 */
export function check(manifest: ResolvedManifest, options: CompileOptions, diagnose: Diagnose): Graph | null {
  const names = knownNames(manifest, options);
  const entry = checkEntry(manifest, names, diagnose);
  const resolver = checkResolver(manifest, names, diagnose);
  const checked = checkNodes(manifest, names, diagnose);
  const graph = toGraph(manifest, entry, checked, names, diagnose);
  warn(checked, { entry, resolver }, names, diagnose);
  return diagnose.findings.hasErrors() ? null : graph;
}

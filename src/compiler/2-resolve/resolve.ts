import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import { type Origin, rootOrigin } from '../1-parse/origins.ts';
import type { ParsedFile, ParsedManifest } from '../1-parse/parsed-manifest.ts';
import { collectDeclarations, malformedSections } from './collect-declarations.ts';
import { composeNodes } from './compose-nodes.ts';
import type { ComposedNode } from './compose-nodes.ts';
import { desugarShortRows } from './desugar-short-rows.ts';
import { withoutPrefix } from './ids.ts';
import { type ImportOptions, orderFiles } from './order-files.ts';
import type { SchemaOptions } from './read-schema.ts';
import type { DefaultRows } from './resolve-block.ts';
import { resolveNode } from './resolve-node.ts';
import { resolvedManifest } from './resolved-manifest.ts';
import type { ResolvedBlock, ResolvedManifest, ResolvedNode } from './resolved-manifest.ts';
import type { KnownWorkers } from './worker-names.ts';

/**
 * Returns whether a node provides memory or blocks to other nodes, and does not say where it is entered. Such a node is
 * left out of the graph unless something leads to it.
 */
const isFragment = ({ content, isBase, complete }: ComposedNode): boolean =>
  complete && isBase && (content.blocks.size === 0 || !content.fields.has('entry_block'));

/** Returns the names of the nodes that a node's actions lead to. */
const targetsOf = ({ blocks }: ResolvedNode): readonly string[] =>
  blocks
    .flatMap(({ rows }) => rows)
    .flatMap(({ action }): readonly string[] => {
      const address = 'returnTo' in action && action.returnTo !== null ? [action.returnTo] : [];
      if (action.kind === 'jump') return [nodeOf(action.target)];
      if (action.kind === 'call') return [action.node, ...address.map(nodeOf)];
      return action.kind === 'fork' ? [...action.nodes, ...address.map(nodeOf)] : [];
    });

const nodeOf = (block: BlockId): string => block.slice(0, block.indexOf('__'));

/** Resolves all nodes that can be entered: those that are no fragments, and fragments with blocks that others lead to. */
function resolveNodes(
  composed: readonly ComposedNode[],
  starts: readonly string[],
  resolveOne: (node: ComposedNode) => ResolvedNode,
): readonly ResolvedNode[] {
  const fragments = new Map(
    composed.filter((node) => isFragment(node)).map((node) => [node.declaration.name, node] as const),
  );
  const resolved = new Map<string, ResolvedNode>();
  const waiting = composed.filter((node) => !isFragment(node));
  const enter = (name: string): void => {
    const fragment = fragments.get(name);
    if (fragment === undefined || fragment.content.blocks.size === 0) return;
    fragments.delete(name);
    waiting.push(fragment);
  };
  starts.forEach(enter);
  for (const node of waiting) {
    const made = resolveOne(node);
    resolved.set(node.declaration.name, made);
    targetsOf(made).forEach(enter);
  }
  return composed.flatMap(({ declaration }) => resolved.get(declaration.name) ?? []);
}

/** Returns the names of the nodes at which the manifest says that runs start. */
function startsOf(root: JsonObject): readonly string[] {
  const worktree = readObject(root, 'worktree');
  const named = [readString(root, 'entry'), worktree === null ? null : readString(worktree, 'resolver')];
  return named.flatMap((name) => (name === null ? [] : [withoutPrefix(name, 'Node:')]));
}

/**
 * Reports blocks with the same id. Different names can produce it: node `A` with block `_b`, and node `A_` with block
 * `b`.
 */
function reportCollisions(nodes: readonly ResolvedNode[], { report, related }: Diagnose): void {
  const seen = new Map<string, ResolvedBlock>();
  for (const block of nodes.flatMap((node) => node.blocks)) {
    const earlier = seen.get(block.id);
    if (earlier === undefined) seen.set(block.id, block);
    else
      report(
        'RS2004',
        block.spot,
        { kind: 'block id', name: block.id },
        { related: [related(earlier.spot, 'It is declared here first.')] },
      );
  }
}

/** Reads the `default_transitions` of each file that has them, by the place of the file's root. */
function defaultRows(files: readonly ParsedFile[], diagnose: Diagnose): ReadonlyMap<Origin | null, DefaultRows> {
  const written = files.filter(({ root }) => has(root, 'default_transitions'));
  return new Map(
    written.map(({ root }) => {
      const short = readObject(root, 'default_transitions');
      const rows = short === null ? [null] : desugarShortRows(short, null, diagnose);
      const read = rows.filter((row) => row !== null);
      return [rootOrigin(diagnose.origins, root), { rows: read, complete: read.length === rows.length }];
    }),
  );
}

/** Facts that the caller supplies for the resolution of a manifest. */
export interface ResolveOptions extends SchemaOptions, ImportOptions {
  /** The worker names in the registry. */
  readonly registry?: ReadonlySet<string>;
  /** Names of built-in workers beside those of `BUILT_IN_WORKER_NAMES`. */
  readonly internalWorkers?: ReadonlySet<string>;
  /** The commands that the project's own files suggest; commands of the manifest override them. */
  readonly commands?: Graph['commands'];
  /**
   * True if the project's files were not searched for commands, so that `check` may name a command that is not known
   * here.
   */
  readonly mayHaveOtherCommands?: true;
}

/**
 * Resolves parsed files to one manifest without imports, inheritance and sugar. Returns null if a file is missing or
 * the inherited content exceeds its limit.
 */
export function resolve(parsed: ParsedManifest, options: ResolveOptions, diagnose: Diagnose): ResolvedManifest | null {
  const files = orderFiles(parsed, diagnose, options);
  // If compilation continued without an imported file, every use of a name from that file would be reported as an
  // error.
  if (files === null) return null;
  const declared = collectDeclarations(files, diagnose);
  const workers: KnownWorkers = {
    declared: new Set(declared.workers.keys()),
    builtIn: new Set([...BUILT_IN_WORKER_NAMES, ...(options.internalWorkers ?? [])]),
    registry: options.registry ?? new Set(),
  };
  const composed = composeNodes(declared.nodes, workers, diagnose);
  if (composed === null) return null;
  const malformed = malformedSections(files);
  const surroundings = {
    schemas: options,
    commands: {
      declared: declared.commands,
      detected: options.commands ?? {},
      isUncertain: malformed.has('commands') || options.mayHaveOtherCommands === true,
    },
    defaults: defaultRows(files, diagnose),
  };
  const { root } = files[0] ?? parsed.files[0];
  const nodes = resolveNodes(composed, startsOf(root), (node) => resolveNode(node, surroundings, diagnose));
  reportCollisions(nodes, diagnose);
  return resolvedManifest({
    root,
    nodes,
    workers: declared.workers,
    contextSlices: declared.context_slices,
    pools: declared.pools,
    commands: declared.commands,
    rules: files.flatMap(({ root }) => (readList(root, 'rules') ?? []).filter(isObject)),
    malformed,
  });
}

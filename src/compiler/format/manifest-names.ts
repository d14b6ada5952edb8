import { type Node, parseTree } from 'jsonc-parser';
import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { ManifestSource } from '#protocol/compiled.ts';
import { withoutPrefix } from '../2-resolve/ids.ts';
import type { ResolveOptions } from '../2-resolve/resolve.ts';
import { declaredWorker, type KnownWorkers } from '../2-resolve/worker-names.ts';
import { memberOf, membersOf } from './text-edits.ts';

/** The names of a manifest that the meaning of a short form depends on. */
export interface ManifestNames {
  readonly workers: KnownWorkers;
  readonly nodes: ReadonlySet<string>;
  /** The names of all blocks of all nodes, without their nodes. */
  readonly blocks: ReadonlySet<string>;
  /** The nodes that others name in `extend` or `mixins`. */
  readonly bases: ReadonlySet<string>;
}

/** A file of a manifest and its syntax tree. */
export interface ParsedText extends ManifestSource {
  readonly tree: Node | undefined;
}

export const parseText = ({ path, text }: ManifestSource): ParsedText => ({
  path,
  text,
  tree: parseTree(text, [], { allowTrailingComma: true }),
});

const textsIn = (node: Node | undefined): readonly string[] => {
  if (node?.type === 'string') return [String(node.value)];
  return node?.type === 'array' ? (node.children ?? []).flatMap(textsIn) : [];
};

/** Collects the names of all files of a manifest. */
export function manifestNames(files: readonly ParsedText[], options: ResolveOptions): ManifestNames {
  const nodes = files.flatMap(({ tree }) => membersOf(memberOf(tree, 'nodes')?.value));
  const blocks = nodes.flatMap(({ value }) => membersOf(memberOf(value, 'blocks')?.value));
  const parts = nodes.flatMap(({ value }) =>
    ['extend', 'mixins'].flatMap((key) => textsIn(memberOf(value, key)?.value)),
  );
  const bases = parts.map((name) => withoutPrefix(name, 'Node:'));
  const written = new Set(nodes.map(({ name }) => name));
  const workers = files.flatMap(({ tree }) => membersOf(memberOf(tree, 'workers')?.value));
  return {
    workers: {
      declared: new Set(workers.map(({ name }) => declaredWorker(name))),
      builtIn: new Set([...BUILT_IN_WORKER_NAMES, ...(options.internalWorkers ?? [])]),
      registry: options.registry ?? new Set(),
    },
    nodes: written,
    blocks: new Set(blocks.map(({ name }) => name.replace(/^(?:Block:)?(?:.*__)?/, ''))),
    // A base that no file declares has its name from an import (`as`): then it can be any node.
    bases: new Set(bases.every((name) => written.has(name)) ? bases : written),
  };
}

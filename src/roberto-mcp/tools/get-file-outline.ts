import type { StoredDefinition } from '../store/blob-reader.ts';
import { insideRoot, pathArgument } from './arguments.ts';
import { boundRows } from './bound-answer.ts';
import { type Tool, type ToolContext, ToolFailure } from './tool.ts';

interface OutlineNode {
  readonly kind: string;
  readonly name: string;
  readonly line: number;
  readonly end_line: number;
  readonly signature: string;
  readonly exported: boolean;
  readonly doc?: string;
  readonly approximate?: true;
  readonly children?: readonly OutlineNode[];
}

/** Maximum number of symbols in one outline. Only generated files have more. */
const MAX_SYMBOLS = 2_000;
/** Maximum number of imports, and of exports, in one outline. */
const MAX_IMPORTS = 500;
const MAX_IMPORT_BYTES = 50_000;

function tree(outline: readonly StoredDefinition[], parent: number): readonly OutlineNode[] {
  return outline.flatMap((one, index) => {
    if (one.parent !== parent) return [];
    const children = tree(outline, index);
    return [
      {
        kind: one.kind,
        name: one.name,
        line: one.startRow + 1,
        end_line: one.endRow + 1,
        signature: one.signature,
        exported: one.exported,
        ...(one.doc === '' ? {} : { doc: one.doc }),
        ...(one.approximate ? { approximate: true as const } : {}),
        ...(children.length === 0 ? {} : { children }),
      },
    ];
  });
}

function render(nodes: readonly OutlineNode[], depth: number): readonly string[] {
  return nodes.flatMap((node) => {
    const range = node.line === node.end_line ? `${node.line}` : `${node.line}-${node.end_line}`;
    const marks = `${node.exported ? '+' : ' '}${node.approximate === true ? '~' : ''}`;
    const doc = node.doc === undefined ? '' : `  // ${node.doc}`;
    return [
      `${range.padStart(9)} ${marks}${'  '.repeat(depth)}${node.kind} ${node.signature}${doc}`,
      ...render(node.children ?? [], depth + 1),
    ];
  });
}

/** Returns the path and blob of an indexed file. Throws a `ToolFailure` with the reason if the file is not indexed. */
export function indexedFile(
  { worktree }: ToolContext,
  given: string,
): { readonly path: string; readonly blob: number } {
  const path = insideRoot(worktree.root, given);
  const entry = worktree.files.get(path);
  if (entry === undefined)
    throw new ToolFailure(
      'file_not_found',
      `${path} is not a file of this worktree, or git ignores it. Check the path.`,
    );
  if (entry.blob === null)
    throw new ToolFailure(
      'not_indexed',
      `${path} is not indexed (${entry.skipped ?? 'unknown'}). Read the file itself.`,
    );
  return { path, blob: entry.blob };
}

export const getFileOutline: Tool = {
  name: 'get_file_outline',
  isCacheable: true,
  title: 'Outline of a file',
  description:
    'Lists the symbols of one file in order with kind, signature, line range and first line of documentation, its imports with the files they resolve to, and its exports. Costs a fraction of reading the file.',
  input: { file_path: pathArgument.describe('Path of the file, relative to the root.') },
  run: (args, context) => {
    const { path, blob } = indexedFile(context, String(args['file_path']));
    const graph = context.graph.current();
    const facts = graph.facts(path);
    const all = context.worktree.reader().outline(blob);
    const kept = boundRows(all, MAX_SYMBOLS).rows;
    const symbols = tree(kept, -1);
    const imported = graph
      .imports(path)
      .map(({ module, line, names, files }) => ({ module, line, names, resolved: files.slice(0, 20) }));
    const exported = kept.filter((one) => one.exported && one.parent === -1).map(({ name }) => name);
    const allExports = [
      ...new Set([...exported, ...(facts?.exports ?? []).map(({ name }) => name.replace(/\..*$/u, ''))]),
    ];
    const imports = boundRows(imported, MAX_IMPORTS, MAX_IMPORT_BYTES).rows;
    const exports = boundRows(allExports, MAX_IMPORTS, MAX_IMPORT_BYTES).rows;
    const leftOut = imported.length - imports.length + allExports.length - exports.length;
    const truncated = kept.length < all.length || leftOut > 0;
    const head = `${path} (${facts?.language ?? 'text'}, ${facts?.lines ?? 0} lines, ${all.length} symbols${facts?.state === 'parsed' ? '' : `, ${facts?.state ?? 'unknown'}`})`;
    const importLines = imports.map(
      ({ module, resolved }) =>
        `  ${module}${resolved[0] === undefined ? '' : ` -> ${resolved[0]}${resolved.length > 1 ? ` and ${resolved.length - 1} more` : ''}`}`,
    );
    return {
      data: {
        file: path,
        language: facts?.language ?? 'text',
        lines: facts?.lines ?? 0,
        state: facts?.state ?? 'text',
        symbols,
        imports,
        exports,
        total_symbols: all.length,
        truncated,
      },
      text: [
        head,
        ...(importLines.length === 0 ? [] : ['imports:', ...importLines]),
        ...render(symbols, 0),
        ...(kept.length < all.length ? [`(${kept.length} of ${all.length} symbols shown)`] : []),
        ...(leftOut > 0 ? [`(${leftOut} imports and exports left out)`] : []),
      ].join('\n'),
      paths: [path],
    };
  },
};

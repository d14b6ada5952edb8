import { z } from 'zod';
import { maxResultsArgument, pathArgument } from './arguments.ts';
import { boundRows, cutNote } from './bound-answer.ts';
import type { FileEdge } from './file-graph.ts';
import { indexedFile } from './get-file-outline.ts';
import type { Tool } from './tool.ts';

interface DependencyRow {
  readonly file: string;
  readonly hops: number;
  readonly from: string;
  readonly reason: string;
  readonly module?: string;
  readonly line?: number;
}

const DEFAULT_FILES = 200;
const MAX_HOPS = 10;
const MAX_REACHED = 5_000;

/** Returns the files reachable from a file within `hops` edges, in breadth-first order. */
function reach(start: string, hops: number, edges: (path: string) => readonly FileEdge[]): readonly DependencyRow[] {
  const rows: DependencyRow[] = [];
  const seen = new Set([start]);
  let layer = [start];
  for (let hop = 1; hop <= hops && layer.length > 0 && rows.length < MAX_REACHED; hop += 1) {
    const next: string[] = [];
    for (const from of layer)
      for (const { to, reason, what, line } of edges(from)) {
        if (seen.has(to)) continue;
        seen.add(to);
        next.push(to);
        rows.push({
          file: to,
          hops: hop,
          from,
          reason,
          ...(what === '' ? {} : { module: what }),
          ...(line === null ? {} : { line }),
        });
      }
    layer = next;
  }
  return rows.sort((a, b) => a.hops - b.hops || (a.file < b.file ? -1 : 1));
}

const DIRECTIONS = ['dependencies', 'dependents', 'both'] as const;

export const getDependencies: Tool = {
  name: 'get_dependencies',
  isCacheable: true,
  title: 'Dependencies of a file',
  description:
    'Lists the files that a file depends on through its resolved imports (and, in languages whose files see each other without imports, through the symbols it uses), or the files that depend on it, up to a number of hops.',
  input: {
    file_path: pathArgument.describe('Path of the file, relative to the root.'),
    hops: z.number().int().min(1).max(MAX_HOPS).optional().describe('Maximum number of hops (default 1).'),
    direction: z
      .enum(DIRECTIONS)
      .optional()
      .describe('The files that this file uses (default), the files that use it, or both.'),
    max_results: maxResultsArgument,
  },
  run: (args, context) => {
    const { path } = indexedFile(context, String(args['file_path']));
    const hops = (args['hops'] as number | undefined) ?? 1;
    const direction = (args['direction'] as (typeof DIRECTIONS)[number] | undefined) ?? 'dependencies';
    const limit = (args['max_results'] as number | undefined) ?? DEFAULT_FILES;
    const graph = context.graph.current();
    const down = direction === 'dependents' ? [] : reach(path, hops, graph.edges);
    const up = direction === 'dependencies' ? [] : reach(path, hops, graph.dependents);
    const external =
      direction === 'dependents'
        ? []
        : graph
            .imports(path)
            .filter(({ files }) => files.length === 0)
            .map(({ module }) => module);
    const dependencies = boundRows(down, limit);
    const dependents = boundRows(up, limit);
    const render = (title: string, rows: readonly DependencyRow[]): readonly string[] =>
      rows.length === 0
        ? []
        : [
            title,
            ...rows.map(
              ({ file, hops: hop, reason, from }) =>
                `  ${hop} ${file}${hop > 1 ? ` (${reason} by ${from})` : ` (${reason})`}`,
            ),
          ];
    const total = down.length + up.length;
    return {
      data: {
        file: path,
        dependencies: dependencies.rows,
        dependents: dependents.rows,
        external: [...new Set(external)].sort(),
        total,
        truncated: dependencies.truncated || dependents.truncated,
      },
      text:
        [
          `${path}: ${down.length} dependencies, ${up.length} dependents within ${hops} ${hops === 1 ? 'hop' : 'hops'}`,
          ...render('dependencies:', dependencies.rows),
          ...render('dependents:', dependents.rows),
          ...(external.length === 0 ? [] : [`not in this worktree: ${[...new Set(external)].sort().join(', ')}`]),
        ].join('\n') + cutNote(dependencies.rows.length + dependents.rows.length, total),
      paths: [path],
    };
  },
};

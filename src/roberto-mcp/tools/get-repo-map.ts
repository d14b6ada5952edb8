import { z } from 'zod';
import type { StoredDefinition } from '../store/blob-reader.ts';
import { pathFilter, pathFilterArgument } from './arguments.ts';
import type { Tool, ToolContext } from './tool.ts';

const DAMPING = 0.85;

const ROUNDS = 25;

/**
 * Ranks files by PageRank over dependencies: a file is important if important files depend on it. Ties are ordered by
 * path.
 */
function rankFiles(paths: readonly string[], edges: (path: string) => readonly string[]): readonly string[] {
  const index = new Map(paths.map((path, at) => [path, at]));
  const targets = paths.map((path) => edges(path).flatMap((to) => index.get(to) ?? []));
  let ranks = new Float64Array(paths.length).fill(1 / Math.max(1, paths.length));
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(paths.length);
    let loose = 0;
    for (const [at, to] of targets.entries()) {
      const rank = ranks[at] ?? 0;
      if (to.length === 0) loose += rank;
      for (const target of to) next[target] = (next[target] ?? 0) + rank / to.length;
    }
    ranks = next.map((rank) => (1 - DAMPING + DAMPING * loose) / paths.length + DAMPING * rank);
  }
  const order = paths.map((path, at) => ({ path, rank: ranks[at] ?? 0 }));
  return order.sort((a, b) => b.rank - a.rank || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

/** Average number of characters per model token in code. */
const TOKEN_CHARACTERS = 4;

const MAX_BUDGET = 50_000;

const MAX_SIGNATURES = 25;

const MAX_SIGNATURE = 160;

const TEXTUAL = new Set(['css', 'html', 'json', 'markdown', 'text', 'toml', 'yaml']);

const SKIPPED_KINDS = new Set(['field', 'enum_member', 'property', 'heading', 'key', 'id', 'selector', 'prototype']);

const tokensOf = (text: string): number => Math.ceil(text.length / TOKEN_CHARACTERS);

interface MapEntry {
  readonly file: string;
  readonly signatures: readonly string[];
}

function signaturesOf(outline: readonly StoredDefinition[]): readonly string[] {
  const exports = outline.filter((one) => one.parent === -1 && one.exported && !SKIPPED_KINDS.has(one.kind));
  const shown =
    exports.length > 0 ? exports : outline.filter((one) => one.parent === -1 && !SKIPPED_KINDS.has(one.kind));
  return shown
    .slice(0, MAX_SIGNATURES)
    .map(
      ({ row, signature }) =>
        `${row + 1}: ${signature.length > MAX_SIGNATURE ? `${signature.slice(0, MAX_SIGNATURE - 1)}…` : signature}`,
    );
}

const render = ({ file, signatures }: MapEntry): string => [file, ...signatures.map((line) => `  ${line}`)].join('\n');

/** Adds files in rank order until the token budget is used up. The last file's signatures may be cut. */
function fill(context: ToolContext, ranked: readonly string[], budget: number): readonly MapEntry[] {
  const { files, reader } = context.worktree;
  const entries: MapEntry[] = [];
  let left = budget;
  for (const file of ranked) {
    const blob = files.get(file)?.blob ?? null;
    if (blob === null) continue;
    let signatures = signaturesOf(reader().outline(blob));
    if (signatures.length === 0) continue;
    while (signatures.length > 1 && tokensOf(`${render({ file, signatures })}\n`) > left)
      signatures = signatures.slice(0, -1);
    const cost = tokensOf(`${render({ file, signatures })}\n`);
    if (cost > left) break;
    left -= cost;
    entries.push({ file, signatures });
  }
  return entries;
}

export const getRepoMap: Tool = {
  name: 'get_repo_map',
  isCacheable: true,
  title: 'Map of the repository',
  description:
    'Lists the most central files of the repository (by their dependencies) with the signatures they export, within a budget of tokens. A good first look at unknown code.',
  input: {
    token_budget: z
      .number()
      .int()
      .min(50)
      .max(MAX_BUDGET)
      .describe('Largest size of the answer in tokens, about four characters each.'),
    path: pathFilterArgument,
  },
  run: (args, context) => {
    const budget = Number(args['token_budget']);
    const accepts = pathFilter(context.worktree.root, args['path'] as string | undefined);
    const graph = context.graph.current();
    const code = [...context.worktree.files.entries()]
      .filter(({ path, blob }) => blob !== null && !TEXTUAL.has(graph.facts(path)?.language ?? 'text'))
      .map(({ path }) => path)
      .sort();
    const ranked = rankFiles(code, (path) => graph.edges(path).map(({ to }) => to)).filter(accepts);
    const entries = fill(context, ranked, budget);
    const text = entries.map(render).join('\n');
    return {
      data: {
        files: entries,
        tokens: tokensOf(text),
        total_files: ranked.length,
        truncated: entries.length < ranked.length,
      },
      text,
      paths: entries.map(({ file }) => file),
    };
  },
};

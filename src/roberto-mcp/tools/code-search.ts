import { queryTokens, searchTokens } from '../parse/split-words.ts';
import type { ChunkHit } from '../store/blob-reader.ts';
import { DEFAULT_RESULTS, maxResultsArgument, nameArgument, pathFilter, pathFilterArgument } from './arguments.ts';
import { boundRows } from './bound-answer.ts';
import { clipLine, createSourceLines } from './source-lines.ts';
import type { Tool, ToolContext } from './tool.ts';

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly score: number;
  readonly snippet: string;
}

const MAX_TOKENS = 24;
/** Maximum number of ranked chunks that are read to find those that belong to this worktree and path. */
const MAX_RANKED = 200_000;
const FACTOR = 8;

const joined = (tokens: readonly string[], operator: 'AND' | 'OR'): string =>
  tokens.map((token) => `"${token.replaceAll('"', '')}"`).join(` ${operator} `);

interface BestLine {
  readonly row: number;
  readonly matched: number;
}

/** Returns the line of a chunk that contains the most words of the query. */
function bestLine(lines: readonly string[], startRow: number, endRow: number, tokens: readonly string[]): BestLine {
  let best: BestLine = { row: startRow, matched: 0 };
  for (let row = startRow; row <= endRow; row += 1) {
    const words = new Set(searchTokens(lines[row] ?? '').split(' '));
    const matched = tokens.filter((token) => words.has(token)).length;
    if (matched > best.matched) best = { row, matched };
  }
  return best;
}

const CONTEXT_LINES = 1;

function snippetAt(lines: readonly string[], row: number): string {
  return lines
    .slice(Math.max(0, row - CONTEXT_LINES), row + CONTEXT_LINES + 1)
    .map(clipLine)
    .filter((line) => line !== '')
    .join('\n');
}

interface SearchHits {
  readonly hits: readonly Hit[];
  readonly more: boolean;
}

interface LiveChunk extends ChunkHit {
  readonly file: string;
}

/**
 * Returns the ranked chunks of this worktree. Because the database covers all worktrees, the query is repeated with a
 * higher limit until it yields enough chunks.
 */
function rankedChunks(
  context: ToolContext,
  match: string,
  accepts: (path: string) => boolean,
  limit: number,
): readonly LiveChunk[] {
  const { files, reader } = context.worktree;
  for (let asked = limit * 2 + 20; ; asked *= FACTOR) {
    const ranked = reader().search(match, Math.min(asked, MAX_RANKED));
    const live = ranked.flatMap((hit) =>
      files
        .pathsOf(hit.blob)
        .filter(accepts)
        .map((file) => ({ ...hit, file })),
    );
    if (live.length > limit || ranked.length < asked || asked >= MAX_RANKED) return live;
  }
}

function search(
  context: ToolContext,
  tokens: readonly string[],
  accepts: (path: string) => boolean,
  limit: number,
): SearchHits {
  const lines = createSourceLines(context.worktree.root);
  // Ranking every chunk that has any of several frequent words takes tens of milliseconds.
  const whole = tokens.length > 1 ? rankedChunks(context, joined(tokens, 'AND'), accepts, limit) : [];
  const live = whole.length > limit ? whole : rankedChunks(context, joined(tokens, 'OR'), accepts, limit);
  const hits = live.slice(0, limit).map(({ file, startRow, endRow, score }) => {
    const text = lines.of(file);
    const { row } = bestLine(text, startRow, Math.min(endRow, text.length - 1), tokens);
    return { file, line: row + 1, score: Math.round(-score * 1_000) / 1_000, snippet: snippetAt(text, row) };
  });
  return { hits, more: live.length > limit };
}

export const codeSearch: Tool = {
  name: 'code_search',
  isCacheable: true,
  title: 'Search the text of the code',
  description:
    'Full-text search over all text files, ranked by BM25. Identifiers are also found by their parts: `user name` finds `getUserName` and `user_name`. Any of the words may match; if enough places have all words, only these are ranked.',
  input: {
    query: nameArgument.describe('Words or identifiers.'),
    max_results: maxResultsArgument,
    path: pathFilterArgument,
  },
  run: (args, context) => {
    const query = String(args['query']);
    const limit = (args['max_results'] as number | undefined) ?? DEFAULT_RESULTS;
    const accepts = pathFilter(context.worktree.root, args['path'] as string | undefined);
    const tokens = queryTokens(query).slice(0, MAX_TOKENS);
    const { hits, more } = tokens.length === 0 ? { hits: [], more: false } : search(context, tokens, accepts, limit);
    const shown = boundRows(hits, limit);
    return {
      data: { query, hits: shown.rows, truncated: more || shown.truncated },
      text:
        [
          `${shown.rows.length} hits for ${query}`,
          ...shown.rows.map(
            ({ file, line, score, snippet }) => `${file}:${line} (${score})\n    ${snippet.replaceAll('\n', '\n    ')}`,
          ),
        ].join('\n') + (more || shown.truncated ? '\n(there are more; raise max_results or narrow the path)' : ''),
      paths: [...new Set(shown.rows.map(({ file }) => file))],
    };
  },
};

import { queryTokens, searchTokens } from '../parse/split-words.ts';
import { DEFAULT_RESULTS, maxResultsArgument, nameArgument, pathFilter, pathFilterArgument } from './arguments.ts';
import { boundRows, cutNote } from './bound-answer.ts';
import { clipLine, createSourceLines } from './source-lines.ts';
import type { Tool, ToolContext } from './tool.ts';

interface Hit {
  readonly file: string;
  readonly line: number;
  readonly score: number;
  readonly snippet: string;
}

const MAX_TOKENS = 24;
/** Ranked ranges that are looked at for those of this worktree and path. */
const MAX_RANKED = 200_000;

const quoted = (tokens: readonly string[]): string => tokens.map((token) => `"${token.replaceAll('"', '')}"`).join(' OR ');

interface BestLine {
  readonly row: number;
  readonly matched: number;
}

/** The line of a range that holds the most words of the query. */
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

function search(context: ToolContext, tokens: readonly string[], accepts: (path: string) => boolean, limit: number) {
  const { files, reader, root } = context.worktree;
  const lines = createSourceLines(root);
  const hits: Hit[] = [];
  let total = 0;
  let ranked = 0;
  for (const { blob, startRow, endRow, score } of reader().search(quoted(tokens))) {
    ranked += 1;
    if (ranked > MAX_RANKED) break;
    for (const file of files.pathsOf(blob)) {
      if (!accepts(file)) continue;
      total += 1;
      if (hits.length >= limit) continue;
      const text = lines.of(file);
      const { row } = bestLine(text, startRow, Math.min(endRow, text.length - 1), tokens);
      hits.push({ file, line: row + 1, score: Math.round(-score * 1_000) / 1_000, snippet: snippetAt(text, row) });
    }
  }
  return { hits, total };
}

export const codeSearch: Tool = {
  name: 'code_search',
  title: 'Search the text of the code',
  description:
    'Full-text search over all text files, ranked by BM25. Identifiers are also found by their parts: `user name` finds `getUserName` and `user_name`. Any of the words may match; more of them rank higher.',
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
    const { hits, total } = tokens.length === 0 ? { hits: [], total: 0 } : search(context, tokens, accepts, limit);
    const shown = boundRows(hits, limit);
    return {
      data: { query, hits: shown.rows, total, truncated: shown.rows.length < total },
      text:
        [
          `${total} hits for ${query}`,
          ...shown.rows.map(({ file, line, score, snippet }) => `${file}:${line} (${score})\n    ${snippet.replaceAll('\n', '\n    ')}`),
        ].join('\n') + cutNote(shown.rows.length, total),
      paths: [...new Set(shown.rows.map(({ file }) => file))],
    };
  },
};

import { wordParts } from '../parse/split-words.ts';
import { DEFAULT_RESULTS, maxResultsArgument, nameArgument, pathFilter, pathFilterArgument } from './arguments.ts';
import { boundRows } from './bound-answer.ts';
import { liveDefinitions, symbolRow, type SymbolRow } from './symbol-rows.ts';
import type { Tool } from './tool.ts';

const MATCHES = ['exact', 'exact_ignoring_case', 'prefix', 'camel_hump', 'substring', 'fuzzy'] as const;
type Match = (typeof MATCHES)[number];

/**
 * Returns true if the query consists of prefixes of a name's words, in order; words may be skipped. Example: `gUN` and
 * `getun` match `getUserName`.
 */
function matchesHumps(parts: readonly string[], query: string): boolean {
  const from = (part: number, at: number): boolean => {
    if (at === query.length) return true;
    for (let next = part; next < parts.length; next += 1) {
      const word = parts[next] ?? '';
      let shared = 0;
      while (shared < word.length && word[shared] === query[at + shared]) shared += 1;
      for (let take = shared; take > 0; take -= 1) if (from(next + 1, at + take)) return true;
    }
    return false;
  };
  return from(0, 0);
}

function isSubsequence(name: string, query: string): boolean {
  let at = 0;
  for (const char of name) if (char === query[at]) at += 1;
  return at === query.length;
}

/** Maximum query length for camel-hump and subsequence matching, which would be slow on longer queries. */
const MAX_LOOSE_QUERY = 40;

function matchOf(name: string, query: string, lower: string): Match | null {
  if (name === query) return 'exact';
  const other = name.toLowerCase();
  if (other === lower) return 'exact_ignoring_case';
  if (other.startsWith(lower)) return 'prefix';
  if (lower.length > MAX_LOOSE_QUERY) return other.includes(lower) ? 'substring' : null;
  if (!isSubsequence(other, lower)) return null;
  if (matchesHumps(wordParts(name), lower.replace(/[_\-\s]/gu, ''))) return 'camel_hump';
  if (other.includes(lower)) return 'substring';
  return lower.length >= 3 && other.length <= lower.length * 4 ? 'fuzzy' : null;
}

interface Candidate {
  readonly name: string;
  readonly match: Match;
}

function rank(names: Iterable<string>, query: string): readonly Candidate[] {
  const lower = query.toLowerCase();
  const found: Candidate[] = [];
  for (const name of names) {
    const match = matchOf(name, query, lower);
    if (match !== null) found.push({ name, match });
  }
  return found.sort(
    (a, b) =>
      MATCHES.indexOf(a.match) - MATCHES.indexOf(b.match) ||
      a.name.length - b.name.length ||
      (a.name < b.name ? -1 : 1),
  );
}

export const findSymbol: Tool = {
  name: 'find_symbol',
  isCacheable: true,
  title: 'Find a symbol by name',
  description:
    'Finds definitions by exact name, prefix, camel humps (`gUN` for `getUserName`), substring or fuzzy match, best first.',
  input: {
    query: nameArgument.describe('A name or a part of one.'),
    path: pathFilterArgument,
    max_results: maxResultsArgument,
  },
  run: (args, context) => {
    const query = String(args['query']).trim();
    const limit = (args['max_results'] as number | undefined) ?? DEFAULT_RESULTS;
    const accepts = pathFilter(context.worktree.root, args['path'] as string | undefined);
    const rows: (SymbolRow & { readonly match: Match })[] = [];
    let more = false;
    for (const { name, match } of rank(
      context.worktree
        .reader()
        .definedNames()
        .map(({ name }) => name),
      query,
    )) {
      for (const { file, definition } of liveDefinitions(context, name)) {
        if (definition.kind === 'impl' || !accepts(file)) continue;
        if (rows.length >= limit) more = true;
        else rows.push({ match, ...symbolRow(context, file, definition) });
      }
      if (more) break;
    }
    const shown = boundRows(rows, limit);
    const truncated = more || shown.truncated;
    return {
      data: { query, symbols: shown.rows, truncated },
      text:
        [
          `${shown.rows.length} symbols for ${query}`,
          ...shown.rows.map(
            ({ file, line, kind, signature, container }) =>
              `${file}:${line} ${kind} ${container === undefined ? '' : `${container}: `}${signature}`,
          ),
        ].join('\n') + (truncated ? '\n(there are more; raise max_results or narrow the path)' : ''),
      paths: [...new Set(shown.rows.map(({ file }) => file))],
    };
  },
};

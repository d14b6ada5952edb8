import type { Node, QueryMatch, Tree } from 'web-tree-sitter';
import { addNodes, addWords, type NamePositions } from './collect-names.ts';
import { define, type FoundDefinition, shorten, type SourceText } from './define.ts';
import type { ExportEntry, ImportEntry, ParseState } from './extraction.ts';
import { type LoadedGrammar, loadGrammar } from './grammars.ts';
import { readCommonJsExports, readExportedObject, readImportCall } from './common-js.ts';
import { readExportClause, readImport } from './read-imports.ts';
import type { GrammarName, LanguageName } from './languages.ts';
import { LINE_PATTERNS } from './line-patterns.ts';
import type { ExportRange } from './nest.ts';
import type { TimeBudget } from './time-budget.ts';

/** The result of one pass over a text with a tree-sitter grammar. */
export interface GrammarReading {
  readonly state: ParseState;
  readonly found: readonly FoundDefinition[];
  readonly names: NamePositions;
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly exportRanges: readonly ExportRange[];
  readonly packageName: string;
}

const OTHER_SIGNS = new Set<LanguageName>(['bash', 'css', 'html', 'kotlin', 'ruby', 'rust', 'svelte', 'vue']);

const ECMASCRIPT = new Set<LanguageName>(['javascript', 'tsx', 'typescript']);

interface Gathered {
  readonly byName: Map<number, { readonly pattern: number; readonly found: FoundDefinition }>;
  readonly names: NamePositions;
  readonly imports: ImportEntry[];
  readonly exports: ExportEntry[];
  readonly exportRanges: ExportRange[];
  packageName: string;
}

function takeOther(source: SourceText, match: QueryMatch, gathered: Gathered): boolean {
  let taken = false;
  for (const { name, node } of match.captures) {
    if (name === 'import') {
      gathered.imports.push(
        ...(ECMASCRIPT.has(source.language) && node.type === 'call_expression'
          ? readImportCall(node)
          : readImport(source.language, textOf(source, node), node.startPosition.row)),
      );
    } else if (name === 'export') {
      const { exports, imports } = readExportClause(textOf(source, node), node.startPosition.row);
      gathered.exports.push(...exports);
      gathered.imports.push(...imports);
      if (exports.length === 0) gathered.exportRanges.push({ start: node.startIndex, end: node.endIndex });
      gathered.exports.push(...readExportedObject(node));
    } else if (name === 'package') {
      gathered.packageName ||= textOf(source, node);
    } else if (name === 'words') {
      addWords(gathered.names, textOf(source, node), node.startPosition.row, node.startPosition.column);
    } else continue;
    taken = true;
  }
  return taken;
}

const textOf = ({ text }: SourceText, node: Node): string => text.slice(node.startIndex, node.endIndex);

function takeMatches(source: SourceText, matches: readonly QueryMatch[], gathered: Gathered): void {
  for (const match of matches) {
    if (takeOther(source, match, gathered)) continue;
    const found = define(source, match);
    if (found === null) continue;
    const key = found.row * 65_536 + found.column;
    const before = gathered.byName.get(key);
    if (before === undefined || match.patternIndex < before.pattern)
      gathered.byName.set(key, { pattern: match.patternIndex, found });
  }
}

/** Finds definitions in the given row ranges by line patterns. */
function approximate(
  { language, lines }: SourceText,
  ranges: readonly (readonly [number, number])[],
): readonly FoundDefinition[] {
  const patterns = LINE_PATTERNS[language] ?? [];
  const rows = new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at)));
  return [...rows].flatMap((row) => {
    const line = lines[row] ?? '';
    if (line.length > 1_000) return [];
    for (const { kind, pattern } of patterns) {
      const match = pattern.exec(line);
      const name = match?.[1];
      if (match === null || name === undefined) continue;
      const column = match[0].lastIndexOf(name);
      return [
        {
          kind,
          name,
          start: -1,
          end: -1,
          startRow: row,
          endRow: row,
          row,
          column,
          approximate: true,
          signature: shorten(line),
          doc: '',
        },
      ];
    }
    return [];
  });
}

/** Adds text offsets to definitions that line patterns found; nesting is computed from offsets. */
function placed(source: SourceText, found: readonly FoundDefinition[]): readonly FoundDefinition[] {
  if (found.length === 0) return found;
  const starts: number[] = [];
  let at = 0;
  for (const line of source.lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return found.map((one) => {
    const start = (starts[one.row] ?? 0) + one.column;
    return { ...one, start, end: start + one.name.length };
  });
}

const MAX_ERRORS = 500;

function errorRanges(grammar: LoadedGrammar, root: Node, budget: TimeBudget): readonly (readonly [number, number])[] {
  const captures = grammar.errors.captures(root, { progressCallback: budget.isSpent });
  return captures
    .slice(0, MAX_ERRORS)
    .map(({ node }): readonly [number, number] => [node.startPosition.row, node.endPosition.row]);
}

function aborted(source: SourceText): GrammarReading {
  const found = placed(source, approximate(source, [[0, source.lines.length - 1]]));
  return { state: 'aborted', found, names: new Map(), imports: [], exports: [], exportRanges: [], packageName: '' };
}

function readTree(source: SourceText, grammar: LoadedGrammar, tree: Tree, budget: TimeBudget): GrammarReading {
  const gathered: Gathered = {
    byName: new Map(),
    names: new Map(),
    imports: [],
    exports: [],
    exportRanges: [],
    packageName: '',
  };
  const root = tree.rootNode;
  const options = { progressCallback: budget.isSpent };
  takeMatches(source, grammar.definitions.matches(root, options), gathered);
  if (ECMASCRIPT.has(source.language) && /\bexports\b/u.test(source.text))
    gathered.exports.push(...readCommonJsExports(root));
  if (grammar.names !== null && !budget.isSpent()) {
    const captures = grammar.names.captures(root, options);
    addNodes(gathered.names, source.text, nodesOf(captures), !OTHER_SIGNS.has(source.language));
  }
  const broken = root.hasError;
  const ranges = broken && !budget.isSpent() ? errorRanges(grammar, root, budget) : [];
  if (budget.isSpent()) return aborted(source);
  const known = [...gathered.byName.values()].map(({ found }) => found);
  const exact = new Set(known.map(({ row, name }) => `${row} ${name}`));
  const guessed = approximate(source, ranges).filter(({ row, name }) => !exact.has(`${row} ${name}`));
  const { names, imports, exports, exportRanges, packageName } = gathered;
  return {
    state: broken ? 'broken' : 'parsed',
    found: [...known, ...placed(source, guessed)],
    names,
    imports,
    exports,
    exportRanges,
    packageName,
  };
}

function* nodesOf(captures: readonly { readonly node: Node }[]): Iterable<Node> {
  for (const { node } of captures) yield node;
}

/** Parses a text with a tree-sitter grammar. If the time budget runs out, returns what line patterns find. */
export async function readWithGrammar(
  name: GrammarName,
  source: SourceText,
  budget: TimeBudget,
): Promise<GrammarReading> {
  const grammar = await loadGrammar(name);
  const tree = grammar.parser.parse(source.text, null, { progressCallback: budget.isSpent });
  if (tree === null) {
    grammar.parser.reset();
    return aborted(source);
  }
  try {
    return readTree(source, grammar, tree, budget);
  } finally {
    tree.delete();
  }
}

import type { FoundDefinition } from './define.ts';
import type { Definition, ExportEntry, SymbolKind } from './extraction.ts';
import type { LanguageName } from './languages.ts';

export interface ExportRange {
  readonly start: number;
  readonly end: number;
}

const FUNCTIONS = new Set<SymbolKind>(['constructor', 'function', 'method']);
const LOCAL = new Set<SymbolKind>(['constant', 'prototype', 'variable']);
const TYPES = new Set<SymbolKind>(['class', 'impl', 'interface', 'struct', 'trait']);

interface Nested {
  readonly found: FoundDefinition;
  readonly parent: number;
  readonly depth: number;
}

const contains = (outer: FoundDefinition, inner: FoundDefinition): boolean =>
  outer.start <= inner.start && outer.end >= inner.end && (outer.start < inner.start || outer.end > inner.end);

/**
 * Sorts definitions and determines the enclosing definition of each. Local variables and definitions nested too deeply
 * are dropped.
 */
function nestRanges(found: readonly FoundDefinition[], maxDepth: number): readonly Nested[] {
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end || a.row - b.row || a.column - b.column);
  const nested: Nested[] = [];
  const open: number[] = [];
  for (const definition of sorted) {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const outer = nested[top];
      if (outer !== undefined && contains(outer.found, definition)) break;
      open.pop();
    }
    const parent = open.at(-1) ?? -1;
    const outer = nested[parent];
    const depth = outer === undefined ? 0 : outer.depth + 1;
    if (depth >= maxDepth) continue;
    if (outer !== undefined && LOCAL.has(definition.kind) && FUNCTIONS.has(outer.found.kind)) continue;
    open.push(nested.length);
    nested.push({ found: definition, parent, depth });
  }
  return nested;
}

type IsExported = (found: FoundDefinition, topLevel: boolean) => boolean;

const EXPORTED: Partial<Readonly<Record<LanguageName, IsExported>>> = {
  python: ({ name }) => !name.startsWith('_'),
  go: ({ name }) => /^\p{Lu}/u.test(name),
  rust: ({ signature, kind }) => signature.startsWith('pub') || kind === 'enum_member',
  java: ({ signature }) => /\bpublic\b/u.test(signature),
  csharp: ({ signature }) => /\bpublic\b/u.test(signature),
  php: ({ signature }) => !/\b(?:private|protected)\b/u.test(signature),
  kotlin: ({ signature }) => !/\b(?:private|internal|protected)\b/u.test(signature),
  c: ({ signature }, topLevel) => topLevel && !/\bstatic\b/u.test(signature),
  cpp: ({ signature }, topLevel) => topLevel && !/\bstatic\b/u.test(signature),
  ruby: (_, topLevel) => topLevel,
  lua: ({ signature }, topLevel) => topLevel && !/^local\b/u.test(signature),
  bash: (_, topLevel) => topLevel,
};
const COMMON_JS = /^(?:module\s*\.\s*)?exports\s*\.|^this\./u;

function exportedRows(
  nested: readonly Nested[],
  ranges: readonly ExportRange[],
  exports: readonly ExportEntry[],
): ReadonlySet<number> {
  const marked = new Set<number>();
  for (const { start, end } of ranges) {
    let low = 0;
    for (let high = nested.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((nested[middle]?.found.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < nested.length; at += 1) {
      const item = nested[at];
      if (item === undefined || item.found.start >= end) break;
      const outer = nested[item.parent];
      if (outer === undefined || outer.found.start < start) marked.add(at);
    }
  }
  const locals = new Set(exports.filter(({ from }) => from === null).map(({ local }) => local));
  if (locals.size > 0)
    for (const [at, { found, parent }] of nested.entries()) if (parent === -1 && locals.has(found.name)) marked.add(at);
  return marked;
}

interface NestInput {
  readonly language: LanguageName;
  readonly maxDepth: number;
  readonly found: readonly FoundDefinition[];
  readonly exportRanges: readonly ExportRange[];
  readonly exports: readonly ExportEntry[];
}

/** Returns the definitions in order, each with its parent and with whether other files can use it. */
export function nest({ language, maxDepth, found, exportRanges, exports }: NestInput): readonly Definition[] {
  const nested = nestRanges(found, maxDepth);
  const marked = exportedRows(nested, exportRanges, exports);
  const rule = EXPORTED[language];
  return nested.map(({ found: definition, parent }, index) => {
    const { kind, name, startRow, endRow, row, column, approximate, signature, doc } = definition;
    const outer = nested[parent]?.found.kind;
    const exported =
      marked.has(index) || (rule?.(definition, parent === -1 || outer === 'module') ?? COMMON_JS.test(signature));
    return {
      kind: kind === 'function' && outer !== undefined && TYPES.has(outer) ? 'method' : kind,
      name,
      startRow,
      endRow,
      row,
      column,
      parent,
      exported,
      approximate,
      signature,
      doc,
    };
  });
}

/** A line of code that defines a symbol. */
interface Definition {
  /** The name of the symbol, qualified by the name of its type if the line contains that, as in a Go method. */
  readonly name: string;
  /** True for a function or method, whose inner definitions are not named. */
  readonly isCallable: boolean;
}

interface OpenDefinition extends Definition {
  readonly indent: number;
}

/**
 * `where`: a pattern for methods is applied only inside a type, because elsewhere it would also match function calls.
 */
type Pattern = readonly [pattern: RegExp, isCallable: boolean, where?: 'in a type'];

const WORDS =
  '(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|override|open|sealed|data|unsafe|inline|virtual|pub(?:\\([^)]*\\))?)\\s+)*';
const TYPES: Pattern = [
  new RegExp(
    `^\\s*${WORDS}(?:class|interface|enum|struct|trait|impl|module|namespace|record|object|protocol)\\s+([\\w$]+)`,
  ),
  false,
];
const CALLABLES: Pattern = [
  new RegExp(`^\\s*${WORDS}(?:function\\s*\\*?|fn|def|fun)\\s*(?:self\\.)?([\\w$]+[?!]?)`),
  true,
];
const MEMBER_END = '\\s*(?:<[^>]*>)?\\((?:[^;]*[{,(]|[^;()]*\\)[^;=]*)?\\s*$';
const NOT_A_NAME = '(?!(?:if|for|while|switch|catch|return|function|else|await|new|throw|typeof|do|with|super)\\b)';

const ECMASCRIPT: readonly Pattern[] = [
  TYPES,
  CALLABLES,
  [/^(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)/, false],
  [/^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]*)?=/, true],
  [
    new RegExp(
      `^\\s+(?:(?:public|private|protected|static|async|override|get|set|readonly)\\s+)*\\*?${NOT_A_NAME}(#?[\\w$]+)${MEMBER_END}`,
    ),
    true,
    'in a type',
  ],
];
const PYTHON: readonly Pattern[] = [
  [/^\s*class\s+(\w+)/, false],
  [/^\s*(?:async\s+)?def\s+(\w+)/, true],
];
const GO: readonly Pattern[] = [
  [/^func\s+\(\s*(?:\w+\s+)?\*?([\w.]+)[^)]*\)\s*(\w+)/, true],
  [/^func\s+(\w+)/, true],
  [/^type\s+(\w+)/, false],
];
const TYPED: readonly Pattern[] = [
  TYPES,
  CALLABLES,
  [new RegExp(`^\\s*(?:[\\w<>\\[\\],.?*&:~@]+\\s+)+${NOT_A_NAME}\\*?([\\w:~]+)${MEMBER_END}`), true],
];
const PLAIN: readonly Pattern[] = [TYPES, CALLABLES];

const BY_ENDING: Readonly<Record<string, readonly Pattern[]>> = {
  ...Object.fromEntries(
    ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts', 'svelte', 'vue'].map((end) => [end, ECMASCRIPT]),
  ),
  ...Object.fromEntries(['java', 'cs', 'c', 'h', 'cc', 'cpp', 'hpp'].map((end) => [end, TYPED])),
  ...Object.fromEntries(['rs', 'rb', 'php', 'kt', 'swift', 'scala'].map((end) => [end, PLAIN])),
  py: PYTHON,
  go: GO,
};

/** The maximum number of symbols that are named for one file. */
const MOST_SYMBOLS = 12;

/** Returns whether the symbols of a file with this path can be found. */
export const hasSymbols = (path: string): boolean => patternsOf(path) !== undefined;

function patternsOf(path: string): readonly Pattern[] | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}

function definitionIn(line: string, patterns: readonly Pattern[], isInType: boolean): Definition | null {
  for (const [pattern, isCallable, where] of patterns) {
    const found = where === undefined || isInType ? pattern.exec(line) : null;
    if (found !== null) return { name: found.slice(1).filter(Boolean).join('.'), isCallable };
  }
  return null;
}

const indentOf = (line: string): number => /^\s*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;

/** Reads one side of a hunk line by line, and names the definition that encloses the current line. */
class Side {
  readonly #patterns: readonly Pattern[];
  #open: readonly OpenDefinition[] = [];

  constructor(patterns: readonly Pattern[], heading: string) {
    this.#patterns = patterns;
    if (heading !== '') this.read(heading);
  }

  read(line: string): void {
    if (line.trim() === '') return;
    const indent = indentOf(line);
    const isClosing = /^\s*[)\]}]|^\s*end\b/.test(line);
    this.#open = this.#open.filter((one) => one.indent < indent || (isClosing && one.indent === indent));
    const found = definitionIn(line, this.#patterns, this.#open.length > 0);
    const isInner = this.#open.some(({ isCallable }) => isCallable);
    if (found !== null && !isInner) this.#open = [...this.#open, { ...found, indent }];
  }

  /** Returns the qualified name of the enclosing definition; null outside of all definitions. */
  name(): string | null {
    return this.#open.length === 0 ? null : this.#open.map(({ name }) => name).join('.');
  }
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** A changed line within a symbol. */
interface SymbolChange {
  readonly name: string;
  /** The line of the new file; for a deleted line, the line that is in its place. */
  readonly line: number;
}

/** Returns the changed lines of a unified diff that are within a symbol, in the order of the file. */
function changesIn(path: string, patch: string): readonly SymbolChange[] {
  const patterns = patternsOf(path);
  if (patterns === undefined) return [];
  const changes: SymbolChange[] = [];
  let sides: { readonly old: Side; readonly new: Side } | null = null;
  let at = 0;
  for (const line of patch.split('\n')) {
    const [, start, heading] = HUNK.exec(line) ?? [];
    if (heading !== undefined) {
      sides = { old: new Side(patterns, heading), new: new Side(patterns, heading) };
      at = Number(start);
    }
    if (sides === null || heading !== undefined) continue;
    const [sign, text] = [line.charAt(0), line.slice(1)];
    const here = at;
    if (sign !== '-' && sign !== '\\') at += 1;
    const changed = sign === '+' ? sides.new : sign === '-' ? sides.old : null;
    if (sign === ' ') for (const side of [sides.old, sides.new]) side.read(text);
    if (changed === null || text.trim() === '') continue;
    changed.read(text);
    const name = changed.name();
    if (name !== null) changes.push({ name, line: Math.max(1, here) });
  }
  return changes;
}

/**
 * Returns the names of the symbols that the unified diff of one file changes, in the order of the file: the functions,
 * methods and types whose lines were added, deleted or changed. A new or deleted file is described by its outermost
 * symbols. The definitions are recognised line by line, and nested by their indentation, which needs no index of the
 * project. A definition above the diff's context is taken from the heading of its hunk.
 */
export function changedSymbols(path: string, patch: string): readonly string[] {
  const isWhole = /^--- \/dev\/null$|^\+\+\+ \/dev\/null$/m.test(patch);
  const names = changesIn(path, patch).map(({ name }) => (isWhole ? (name.split('.')[0] ?? name) : name));
  return [...new Set(names)].slice(0, MOST_SYMBOLS);
}

/**
 * Returns the line of the new file at which the unified diff first changes a symbol, counted from 1; null if it changes
 * none.
 */
export const firstSymbolLine = (path: string, patch: string): number | null => changesIn(path, patch)[0]?.line ?? null;

/** Splits a diff of several files, made without renames of prefixes, into the diffs of single files by their new path. */
export function splitPatch(patch: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const to = /^\+\+\+ (?:b\/(.*?)\t?|\/dev\/null)$/m.exec(part);
    const from = /^--- a\/(.*?)\t?$/m.exec(part);
    const path = to?.[1] ?? from?.[1];
    if (path !== undefined) files.set(path, part);
  }
  return files;
}

import type { SymbolKind } from './extraction.ts';
import type { LanguageName } from './languages.ts';

interface LinePattern {
  readonly kind: SymbolKind;
  /** Matches a line with a definition; capture group 1 is its name. */
  readonly pattern: RegExp;
}

const ECMASCRIPT: readonly LinePattern[] = [
  { kind: 'function', pattern: /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)/u },
  { kind: 'class', pattern: /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+([\w$]+)/u },
  { kind: 'interface', pattern: /^\s*(?:export\s+)?interface\s+([\w$]+)/u },
  { kind: 'function', pattern: /^\s*(?:export\s+)?const\s+([\w$]+)\s*=\s*(?:async\s*)?\([^)]*\)[^=]*=>/u },
];
const C_LIKE: readonly LinePattern[] = [
  { kind: 'struct', pattern: /^(?:typedef\s+)?struct\s+(\w+)\s*\{/u },
  { kind: 'function', pattern: /^(?:[A-Za-z_][\w*]*[\s*]+)+(\w+)\s*\([^;]*\)?\s*\{?\s*$/u },
];

/** Patterns that recognise definitions line by line. They are used only where the syntax is broken. */
export const LINE_PATTERNS: Partial<Readonly<Record<LanguageName, readonly LinePattern[]>>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: [
    { kind: 'function', pattern: /^\s*(?:async\s+)?def\s+(\w+)/u },
    { kind: 'class', pattern: /^\s*class\s+(\w+)/u },
  ],
  go: [
    { kind: 'function', pattern: /^func\s+(\w+)/u },
    { kind: 'method', pattern: /^func\s+\([^)]*\)\s*(\w+)/u },
    { kind: 'type', pattern: /^type\s+(\w+)/u },
  ],
  rust: [
    { kind: 'function', pattern: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/u },
    { kind: 'struct', pattern: /^\s*(?:pub(?:\([^)]*\))?\s+)?struct\s+(\w+)/u },
  ],
  java: [{ kind: 'class', pattern: /^\s*(?:public\s+|final\s+|abstract\s+)*class\s+(\w+)/u }],
  c: C_LIKE,
  cpp: [...C_LIKE, { kind: 'class', pattern: /^\s*class\s+(\w+)[^;]*$/u }],
  ruby: [
    { kind: 'method', pattern: /^\s*def\s+(?:self\.)?(\w+[?!=]?)/u },
    { kind: 'class', pattern: /^\s*class\s+([A-Z]\w*)/u },
  ],
  php: [
    { kind: 'function', pattern: /^\s*(?:(?:public|private|protected|static)\s+)*function\s+(\w+)/u },
    { kind: 'class', pattern: /^\s*(?:abstract\s+|final\s+)?class\s+(\w+)/u },
  ],
};

import type { ExportEntry, ImportedName, ImportEntry } from './extraction.ts';
import type { LanguageName } from './languages.ts';

interface RawImport {
  readonly module: string;
  readonly names?: readonly ImportedName[];
}
type ReadImport = (text: string) => readonly RawImport[];

const QUOTED = /(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/u;
const plain = (name: string): ImportedName => ({ name, alias: name });

/**
 * Parses a list of names such as `a, b as c`. The parameter `as` matches the separator between a name and its alias.
 */
function readNames(list: string, as = /\s+as\s+/u): readonly ImportedName[] {
  return list
    .split(',')
    .map((part) => part.trim().replace(/^type\s+(?=\S)/u, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', alias = name] = part.split(as).map((word) => word.trim());
      return { name, alias };
    });
}

const lastSpecifier = (text: string): string => {
  const from = /\bfrom\s*(["'])([^"'\n]*)\1/u.exec(text);
  return from?.[2] ?? QUOTED.exec(text)?.[2] ?? '';
};

function readEcmaImport(text: string): readonly RawImport[] {
  const module = lastSpecifier(text);
  if (module === '') return [];
  const required = /^import\s+(?:type\s+)?([\w$]+)\s*=\s*require\b/u.exec(text)?.[1];
  if (required !== undefined) return [{ module, names: ['*', 'default'].map((name) => ({ name, alias: required })) }];
  const clause = /^import\s+(?:type\s+)?([\s\S]*?)\s*\bfrom\s*["']/u.exec(text)?.[1];
  if (clause === undefined) return [{ module }];
  const braces = /\{([\s\S]*)\}/u.exec(clause);
  const names = braces === null ? [] : [...readNames(braces[1] ?? '')];
  for (const part of clause.replace(/\{[\s\S]*\}/u, '').split(',')) {
    const word = part.trim();
    const star = /^\*\s*as\s+(\S+)$/u.exec(word);
    if (star?.[1] !== undefined) names.push({ name: '*', alias: star[1] });
    else if (word !== '') names.push({ name: 'default', alias: word });
  }
  return [{ module, names }];
}

function readPythonImport(text: string): readonly RawImport[] {
  const from = /^from\s+(\.*\s*[\w.]*)\s*import\s+([\s\S]+)$/u.exec(text);
  if (from !== null) {
    const list = (from[2] ?? '').replace(/#.*$/gmu, '').replace(/[()\\]/gu, ' ');
    return [{ module: (from[1] ?? '').replace(/\s/gu, ''), names: readNames(list) }];
  }
  const list = /^import\s+([\s\S]+)$/u.exec(text)?.[1] ?? '';
  return readNames(list.replaceAll('\\', ' ')).map(({ name, alias }) => ({
    module: name,
    names: [{ name: '*', alias }],
  }));
}

function readGoImport(text: string): readonly RawImport[] {
  const found = /^\s*([\w.]+)?\s*["`]([^"`]+)["`]/u.exec(text);
  if (found?.[2] === undefined) return [];
  const alias = found[1] ?? found[2].slice(found[2].lastIndexOf('/') + 1);
  return [{ module: found[2], names: [{ name: '*', alias }] }];
}

/** Splits a text such as `a, {b, c}` at the commas outside braces. */
function splitOuter(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const MAX_USE_DEPTH = 20;

/** Expands a nested Rust `use` tree into one entry per path. */
function expandUse(tree: string, prefix: string, depth: number): readonly RawImport[] {
  if (depth > MAX_USE_DEPTH) return [];
  const brace = tree.indexOf('{');
  if (brace >= 0) {
    const inner = tree.slice(brace + 1, tree.lastIndexOf('}'));
    const path = `${prefix}${tree.slice(0, brace)}`.replace(/\s/gu, '');
    return splitOuter(inner).flatMap((part) => expandUse(part, path, depth + 1));
  }
  const [path = '', alias] = tree.split(/\s+as\s+/u).map((part) => part.trim());
  const whole = `${prefix}${path}`.replace(/\s/gu, '').replace(/::self$/u, '');
  const name = whole.split('::').at(-1) ?? whole;
  return [{ module: whole, names: [{ name, alias: alias ?? name }] }];
}

function readRustImport(text: string): readonly RawImport[] {
  const use = /\buse\s+([\s\S]+?);?\s*$/u.exec(text)?.[1];
  if (use !== undefined) return expandUse(use.replace(/;$/u, ''), '', 0);
  const extern = /\bextern\s+crate\s+(\w+)/u.exec(text)?.[1];
  if (extern !== undefined) return [{ module: extern }];
  const mod = /\bmod\s+(\w+)\s*;/u.exec(text)?.[1];
  return mod === undefined ? [] : [{ module: `mod ${mod}` }];
}

function readJavaImport(text: string): readonly RawImport[] {
  const found = /^import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;?\s*$/u.exec(text);
  if (found?.[2] === undefined) return [];
  const name = found[3] === undefined ? found[2].slice(found[2].lastIndexOf('.') + 1) : '*';
  return [{ module: `${found[2]}${found[3] ?? ''}`, names: [plain(name)] }];
}

const readQuoted: ReadImport = (text) => {
  const module = QUOTED.exec(text)?.[2];
  return module === undefined || module === '' ? [] : [{ module }];
};

const readInclude: ReadImport = (text) => {
  const module = /[<"]([^>"\n]+)[>"]/u.exec(text);
  return module?.[1] === undefined ? [] : [{ module: module[0].startsWith('<') ? `<${module[1]}>` : module[1] }];
};

const readUsing: ReadImport = (text) => {
  const module = /using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)/u.exec(text)?.[1];
  return module === undefined ? [] : [{ module, names: [plain('*')] }];
};

const readPhpImport: ReadImport = (text) => {
  if (!text.startsWith('use')) return readQuoted(text);
  const group = /use\s+([\w\\]+)\\\{([^}]*)\}/u.exec(text);
  const list = group === null ? text.replace(/^use\s+(?:function\s+|const\s+)?/u, '').replace(/;\s*$/u, '') : group[2];
  return readNames(list ?? '').map(({ name, alias }) => {
    const module = group === null ? name : `${group[1] ?? ''}\\${name}`;
    const short = name.slice(name.lastIndexOf('\\') + 1);
    return { module, names: [{ name: short, alias: alias === name ? short : alias }] };
  });
};

const readKotlinImport: ReadImport = (text) => {
  const found = /^import\s+([\w.]+?)(\.\*)?(?:\s+as\s+(\w+))?\s*$/u.exec(text.trim());
  if (found?.[1] === undefined) return [];
  const name = found[2] === undefined ? found[1].slice(found[1].lastIndexOf('.') + 1) : '*';
  return [{ module: `${found[1]}${found[2] ?? ''}`, names: [{ name, alias: found[3] ?? name }] }];
};

const readSourced: ReadImport = (text) => {
  const word = /^(?:source|\.)\s+["']?([^\s"';]+)/u.exec(text)?.[1];
  return word === undefined ? [] : [{ module: word }];
};

const READERS: Partial<Readonly<Record<LanguageName, ReadImport>>> = {
  typescript: readEcmaImport,
  tsx: readEcmaImport,
  javascript: readEcmaImport,
  python: readPythonImport,
  go: readGoImport,
  rust: readRustImport,
  java: readJavaImport,
  c: readInclude,
  cpp: readInclude,
  csharp: readUsing,
  ruby: readQuoted,
  php: readPhpImport,
  kotlin: readKotlinImport,
  lua: readQuoted,
  bash: readSourced,
  css: readQuoted,
};

/**
 * Adds `./` to the argument of a Ruby `require_relative` that does not start with a dot, because such a path is
 * relative to the file.
 */
const relativeInRuby = (text: string, module: string): string =>
  text.startsWith('require_relative') && !module.startsWith('.') ? `./${module}` : module;

/** Parses the text of one import statement. */
export function readImport(language: LanguageName, text: string, row: number): readonly ImportEntry[] {
  const read = READERS[language];
  if (read === undefined) return [];
  return read(text).map(({ module, names = [] }) => ({
    module: language === 'ruby' ? relativeInRuby(text, module) : module,
    names,
    row,
    reexport: language === 'rust' && /^pub\b/u.test(text),
  }));
}

interface ExportStatement {
  readonly exports: readonly ExportEntry[];
  readonly imports: readonly ImportEntry[];
}

/**
 * Parses an ECMAScript export clause: `export {a as b}`, `export * from 'x'` or `export default x`. Returns nothing for
 * exported declarations.
 */
export function readExportClause(text: string, row: number): ExportStatement {
  const head =
    /^export\s+(?:type\s+)?(?:\{([\s\S]*?)\}|\*(?:\s*as\s+([\w$]+))?)\s*(?:from\s*(["'])([^"'\n]+)\3)?/u.exec(text);
  if (head === null) {
    const value = /^export\s+(?:default\s+|=\s*)([\w$]+)\s*;?\s*$/u.exec(text)?.[1];
    return { exports: value === undefined ? [] : [{ name: 'default', local: value, from: null }], imports: [] };
  }
  const from = head[4] ?? null;
  const names = head[1] === undefined ? [{ name: '*', alias: head[2] ?? '*' }] : readNames(head[1]);
  const exports = names.map(({ name, alias }) => ({ name: alias, local: name, from }));
  return { exports, imports: from === null ? [] : [{ module: from, names, row, reexport: true }] };
}

import {
  BASH,
  BASH_NAMES,
  LUA,
  LUA_NAMES,
  PHP,
  PHP_NAMES,
  PYTHON,
  PYTHON_NAMES,
  RUBY,
  RUBY_NAMES,
} from './queries/scripting.ts';
import { C, C_NAMES, CPP, CPP_NAMES, GO, GO_NAMES, RUST, RUST_NAMES } from './queries/native.ts';
import { CSHARP, CSHARP_NAMES, JAVA, JAVA_NAMES, KOTLIN, KOTLIN_NAMES } from './queries/managed.ts';
import { ECMASCRIPT_NAMES, JAVASCRIPT, TYPESCRIPT, TYPESCRIPT_NAMES } from './queries/ecmascript.ts';
import { CSS, CSS_NAMES, HTML, HTML_NAMES, JSON_KEYS, TOML_KEYS, YAML_KEYS } from './queries/markup.ts';

/** Location of a grammar's WebAssembly file in its npm package. */
export interface Grammar {
  readonly package: string;
  readonly version: string;
  readonly file: string;
}

/** The grammar and queries for one language that is parsed with tree-sitter. */
interface GrammarLanguage {
  readonly grammar: Grammar;
  /** Tree-sitter query. Its captures are symbol kinds, `@name`, `@import`, `@export` and `@package`. */
  readonly definitions: string;
  /** Types of syntax nodes that are references to names. */
  readonly names: readonly string[];
  /** Maximum nesting depth of definitions that are kept; it limits the size of results for configuration files. */
  readonly maxDepth: number;
}

const language = (
  packageName: string,
  version: string,
  file: string,
  definitions: string,
  names: readonly string[],
  maxDepth = 12,
): GrammarLanguage => ({ grammar: { package: packageName, version, file }, definitions, names, maxDepth });

const extra = (name: string): string => `@tree-sitter-grammars/tree-sitter-${name}`;

const GRAMMAR_LANGUAGES = {
  typescript: language('tree-sitter-typescript', '0.23.2', 'tree-sitter-typescript.wasm', TYPESCRIPT, TYPESCRIPT_NAMES),
  tsx: language('tree-sitter-typescript', '0.23.2', 'tree-sitter-tsx.wasm', TYPESCRIPT, TYPESCRIPT_NAMES),
  javascript: language('tree-sitter-javascript', '0.25.0', 'tree-sitter-javascript.wasm', JAVASCRIPT, ECMASCRIPT_NAMES),
  python: language('tree-sitter-python', '0.25.0', 'tree-sitter-python.wasm', PYTHON, PYTHON_NAMES),
  rust: language('tree-sitter-rust', '0.24.0', 'tree-sitter-rust.wasm', RUST, RUST_NAMES),
  go: language('tree-sitter-go', '0.25.0', 'tree-sitter-go.wasm', GO, GO_NAMES),
  java: language('tree-sitter-java', '0.23.5', 'tree-sitter-java.wasm', JAVA, JAVA_NAMES),
  c: language('tree-sitter-c', '0.24.1', 'tree-sitter-c.wasm', C, C_NAMES),
  cpp: language('tree-sitter-cpp', '0.23.4', 'tree-sitter-cpp.wasm', CPP, CPP_NAMES),
  csharp: language('tree-sitter-c-sharp', '0.23.5', 'tree-sitter-c_sharp.wasm', CSHARP, CSHARP_NAMES),
  ruby: language('tree-sitter-ruby', '0.23.1', 'tree-sitter-ruby.wasm', RUBY, RUBY_NAMES),
  php: language('tree-sitter-php', '0.24.2', 'tree-sitter-php.wasm', PHP, PHP_NAMES),
  kotlin: language(extra('kotlin'), '1.1.0', 'tree-sitter-kotlin.wasm', KOTLIN, KOTLIN_NAMES),
  lua: language(extra('lua'), '0.4.1', 'tree-sitter-lua.wasm', LUA, LUA_NAMES),
  bash: language('tree-sitter-bash', '0.25.1', 'tree-sitter-bash.wasm', BASH, BASH_NAMES),
  css: language('tree-sitter-css', '0.25.0', 'tree-sitter-css.wasm', CSS, CSS_NAMES),
  html: language('tree-sitter-html', '0.23.2', 'tree-sitter-html.wasm', HTML, HTML_NAMES),
  json: language('tree-sitter-json', '0.24.8', 'tree-sitter-json.wasm', JSON_KEYS, [], 3),
  yaml: language(extra('yaml'), '0.7.1', 'tree-sitter-yaml.wasm', YAML_KEYS, [], 3),
  toml: language(extra('toml'), '0.7.0', 'tree-sitter-toml.wasm', TOML_KEYS, [], 3),
  svelte: language(extra('svelte'), '1.0.2', 'tree-sitter-svelte.wasm', HTML, HTML_NAMES),
} as const satisfies Readonly<Record<string, GrammarLanguage>>;

export type GrammarName = keyof typeof GRAMMAR_LANGUAGES;
/** All languages. `vue` and `markdown` are parsed without a tree-sitter grammar; `text` is only searchable. */
export type LanguageName = GrammarName | 'markdown' | 'text' | 'vue';

export const grammarNames = Object.keys(GRAMMAR_LANGUAGES) as readonly GrammarName[];

export const grammarLanguage = (name: GrammarName): GrammarLanguage => GRAMMAR_LANGUAGES[name];

export const hasGrammar = (name: LanguageName): name is GrammarName => Object.hasOwn(GRAMMAR_LANGUAGES, name);

const EXTENSIONS: Readonly<Record<string, LanguageName>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  pyw: 'python',
  rs: 'rust',
  go: 'go',
  java: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  inl: 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  rake: 'ruby',
  gemspec: 'ruby',
  php: 'php',
  kt: 'kotlin',
  kts: 'kotlin',
  lua: 'lua',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  css: 'css',
  scss: 'css',
  html: 'html',
  htm: 'html',
  json: 'json',
  jsonc: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  svelte: 'svelte',
  vue: 'vue',
  md: 'markdown',
  markdown: 'markdown',
};

const FILE_NAMES: Readonly<Record<string, LanguageName>> = {
  Gemfile: 'ruby',
  Rakefile: 'ruby',
  '.bashrc': 'bash',
  '.bash_profile': 'bash',
  '.profile': 'bash',
};

const CPP_IN_HEADER = /^\s*(?:class\s+\w+|template\s*<|namespace\s+\w*|using\s+\w+|public:|private:|protected:)/mu;
const SHEBANG = /^#!.*?\b(bash|sh|zsh|node|python|ruby|php|lua)[0-9.]*\b/u;
const INTERPRETERS: Readonly<Record<string, LanguageName>> = {
  bash: 'bash',
  sh: 'bash',
  zsh: 'bash',
  node: 'javascript',
  python: 'python',
  ruby: 'ruby',
  php: 'php',
  lua: 'lua',
};

/**
 * Returns the language that a path suggests. C and C++ headers count as `c` here; `languageOf` also inspects the file's
 * text.
 */
export function languageOfPath(path: string): LanguageName {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const known = FILE_NAMES[name];
  if (known !== undefined) return known;
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  return (Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined) ?? 'text';
}

/** Returns the language of a file by its path and text. */
export function languageOf(path: string, text: string): LanguageName {
  const named = languageOfPath(path);
  if (named === 'c' && path.endsWith('.h')) return CPP_IN_HEADER.test(text.slice(0, 65_536)) ? 'cpp' : 'c';
  if (named !== 'text' || !text.startsWith('#!')) return named;
  const interpreter = SHEBANG.exec(text.slice(0, 200))?.[1];
  return (interpreter === undefined ? undefined : INTERPRETERS[interpreter]) ?? 'text';
}

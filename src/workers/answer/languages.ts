/** Names of files that have no extension. */
const BARE_NAMES: ReadonlySet<string> = new Set([
  ...['Dockerfile', 'Containerfile', 'Makefile', 'GNUmakefile', 'Procfile', 'Gemfile', 'Rakefile', 'Jenkinsfile'],
  ...['Vagrantfile', 'Caddyfile', 'Brewfile', 'Justfile', 'justfile', 'Pipfile', 'LICENSE', 'LICENCE', 'NOTICE'],
  ...['CODEOWNERS', 'AUTHORS', 'CHANGELOG', 'README', 'WORKSPACE', 'BUILD'],
]);

/** Matches `name.ext`, with or without folders. Excludes versions (`python3.11`) and attributes (`{.ts}`, `a=b.c`). */
const NAME = /^[^={}<>"'|`]*\.[A-Za-z][\w-]*$/;

/** Matches names of products that look like files, such as `Node.js`. */
const PRODUCT =
  /^(?:(?:node|next|nuxt|vue|react|express|three|ember|chart|alpine|backbone|d3|p5)\.js|(?:asp|vb|ml|ado)\.net|socket\.io)$/i;

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns true for a name with an extension, or a well-known name without one. */
export const isFileName = (word: string): boolean =>
  word !== '' &&
  !PRODUCT.test(word) &&
  !/^[a-z]+:\/\//i.test(word) &&
  (NAME.test(word) || BARE_NAMES.has(lastName(word)));

/** Returns the extension in lower case without its dot, or an empty string. */
function endingOf(path: string): string {
  const name = lastName(path);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const SHELL = ['sh', 'bash', 'zsh', 'fish', 'ksh', 'ps1', 'psm1', 'bat', 'cmd', 'env', 'bats'];

/**
 * Maps the language of a fence to the file extensions that are possible for it. If the extension does not match, the
 * block is another file.
 */
const ENDINGS: ReadonlyMap<string, readonly string[]> = new Map(
  [
    [
      ['ts', 'typescript', 'tsx', 'mts', 'cts'],
      ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx'],
    ],
    [
      ['js', 'javascript', 'jsx', 'mjs', 'cjs', 'node'],
      ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx'],
    ],
    [
      ['py', 'python', 'python3', 'py3'],
      ['py', 'pyi', 'pyw'],
    ],
    [['rs', 'rust'], ['rs']],
    [['go', 'golang'], ['go']],
    [['java'], ['java']],
    [
      ['kt', 'kotlin'],
      ['kt', 'kts'],
    ],
    [
      ['rb', 'ruby'],
      ['rb', 'rake', 'gemspec', ''],
    ],
    [['php'], ['php']],
    [['cs', 'csharp', 'c#'], ['cs']],
    [
      ['c', 'h'],
      ['c', 'h'],
    ],
    [
      ['cpp', 'c++', 'cxx', 'cc'],
      ['cpp', 'cc', 'cxx', 'h', 'hpp', 'hh', 'ino'],
    ],
    [
      ['html'],
      ['html', 'htm', 'vue', 'svelte', 'ejs', 'hbs', 'astro', 'xml', 'svg', 'erb', 'php', 'jinja', 'j2', 'njk'],
    ],
    [['vue'], ['vue']],
    [['svelte'], ['svelte']],
    [['toml'], ['toml', 'lock']],
    [
      ['ini', 'cfg', 'conf', 'properties', 'dotenv'],
      ['ini', 'cfg', 'conf', 'properties', 'env', 'example', 'service'],
    ],
    [
      ['xml', 'svg'],
      [
        'xml',
        'svg',
        'xsd',
        'xsl',
        'xslt',
        'csproj',
        'fsproj',
        'props',
        'targets',
        'plist',
        'xaml',
        'html',
        'config',
        'pom',
      ],
    ],
    [['swift'], ['swift']],
    [['scala'], ['scala', 'sbt', 'sc']],
    [['lua'], ['lua']],
    [['dart'], ['dart']],
    [['r'], ['r', 'rmd']],
    [
      ['elixir', 'ex', 'exs'],
      ['ex', 'exs'],
    ],
    [
      ['haskell', 'hs'],
      ['hs', 'lhs'],
    ],
    [
      ['dockerfile', 'docker'],
      ['dockerfile', 'containerfile', 'dev', 'prod'],
    ],
    [
      ['makefile', 'make'],
      ['mk', 'mak', 'makefile'],
    ],
    [
      ['graphql', 'gql'],
      ['graphql', 'gql', 'graphqls'],
    ],
    [['proto', 'protobuf'], ['proto']],
    [['prisma'], ['prisma']],
    [
      ['hcl', 'terraform', 'tf'],
      ['hcl', 'tf', 'tfvars'],
    ],
    [
      ['css', 'scss', 'sass', 'less'],
      ['css', 'scss', 'sass', 'less'],
    ],
    [['sql', 'postgresql', 'mysql', 'sqlite'], ['sql']],
    [
      ['json', 'jsonc', 'json5'],
      ['json', 'jsonc', 'json5', 'webmanifest', 'map', 'code-workspace'],
    ],
    [
      ['yaml', 'yml'],
      ['yaml', 'yml', 'cff'],
    ],
    [
      ['md', 'markdown', 'mdx'],
      ['md', 'mdx', 'markdown', 'mdc'],
    ],
    [['sh', 'bash', 'shell', 'zsh', 'console', 'terminal', 'shellsession', 'powershell', 'cmd', 'bat', 'ps1'], SHELL],
  ].flatMap(([names = [], endings = []]) => names.map((name) => [name, endings] as const)),
);

const SHELL_LIKE: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'shell', 'zsh', 'console', 'terminal', 'shellsession', 'powershell', 'cmd', 'bat', 'ps1'],
  ...['output', 'log', 'text', 'txt', 'plaintext', 'tree', 'mermaid', 'http', 'curl', 'cli', 'stdout'],
]);

/** Returns true if blocks of this language usually hold shell commands or program output. */
export const isShellLike = (language: string): boolean => SHELL_LIKE.has(language);

/** Extensions of files that may contain any text. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  ...[
    '',
    'txt',
    'log',
    'md',
    'conf',
    'cfg',
    'ini',
    'csv',
    'tmpl',
    'example',
    'env',
    'lock',
    'in',
    'template',
    'properties',
  ],
]);

/** Returns true for names such as `.gitignore`, which consist of an extension only. */
const isDotFile = (path: string): boolean => /^\.[^.]+$/.test(lastName(path));

/** Returns true if a block of this language may hold this file. Unknown languages may hold any file. */
export function mayBe(language: string, path: string): boolean {
  const ending = endingOf(path);
  const endings = ENDINGS.get(language);
  if (isDotFile(path)) return true;
  if (endings === undefined) return !isShellLike(language) || ANY_TEXT.has(ending);
  return endings.includes(ending) || (lastName(path).startsWith('.') && isShellLike(language)) || ending === '';
}

const PROSE: ReadonlySet<string> = new Set(['md', 'mdx', 'markdown', 'mdc', 'rst', 'adoc', 'asciidoc', 'txt']);

export const isProseFile = (path: string): boolean => PROSE.has(endingOf(path));

/**
 * Returns true if a block or file is Markdown, by its language or path. Markdown may contain fenced blocks of its own.
 */
export const isMarkdown = (language: string, path: string | null): boolean =>
  ['md', 'markdown', 'mdx'].includes(language) ||
  (path !== null && ['md', 'mdx', 'markdown', 'mdc'].includes(endingOf(path)));

/**
 * Returns true for JSON files. JSON has no comments, so a comment in such a block is only the model's note of the
 * file's path.
 */
export const hasNoComments = (path: string): boolean => endingOf(path) === 'json';

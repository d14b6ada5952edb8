/** Names that are files without an ending. */
const BARE_NAMES: ReadonlySet<string> = new Set([
  ...['Dockerfile', 'Containerfile', 'Makefile', 'GNUmakefile', 'Procfile', 'Gemfile', 'Rakefile', 'Jenkinsfile'],
  ...['Vagrantfile', 'Caddyfile', 'Brewfile', 'Justfile', 'justfile', 'Pipfile', 'LICENSE', 'LICENCE', 'NOTICE'],
  ...['CODEOWNERS', 'AUTHORS', 'CHANGELOG', 'README', 'WORKSPACE', 'BUILD'],
]);

/** `name.ext`, folders before it or not. A version (`python3.11`) ends in a digit's part, an attribute (`{.ts}`, `a=b.c`) is none. */
const NAME = /^[^={}<>"'|`]*\.[A-Za-z][\w-]*$/;

/** Products, not files. */
const PRODUCT =
  /^(?:(?:node|next|nuxt|vue|react|express|three|ember|chart|alpine|backbone|d3|p5)\.js|(?:asp|vb|ml|ado)\.net|socket\.io)$/i;

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** With an ending, or one of the names that have none. */
export const isFileName = (word: string): boolean =>
  word !== '' &&
  !PRODUCT.test(word) &&
  !/^[a-z]+:\/\//i.test(word) &&
  (NAME.test(word) || BARE_NAMES.has(lastName(word)));

/** In lower case, without the dot; empty: none. */
function endingOf(path: string): string {
  const name = lastName(path);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const SHELL = ['sh', 'bash', 'zsh', 'fish', 'ksh', 'ps1', 'psm1', 'bat', 'cmd', 'env', 'bats'];

/** A fence's language → endings of its files, where a mismatch says that another file is meant. */
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

/** Commands to type, or what they print. */
export const isShellLike = (language: string): boolean => SHELL_LIKE.has(language);

/** Endings that any text may have. */
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

/** `.gitignore`, `.eslintrc`: a name that is all ending. */
const isDotFile = (path: string): boolean => /^\.[^.]+$/.test(lastName(path));

/** Could a block of this language be that file? What is not known counts as yes. */
export function mayBe(language: string, path: string): boolean {
  const ending = endingOf(path);
  const endings = ENDINGS.get(language);
  if (isDotFile(path)) return true;
  if (endings === undefined) return !isShellLike(language) || ANY_TEXT.has(ending);
  return endings.includes(ending) || (lastName(path).startsWith('.') && isShellLike(language)) || ending === '';
}

const PROSE: ReadonlySet<string> = new Set(['md', 'mdx', 'markdown', 'mdc', 'rst', 'adoc', 'asciidoc', 'txt']);

/** Is it a file of prose? */
export const isProseFile = (path: string): boolean => PROSE.has(endingOf(path));

/** Is it one in which fenced blocks are at home? */
export const isMarkdown = (language: string, path: string | null): boolean =>
  ['md', 'markdown', 'mdx'].includes(language) ||
  (path !== null && ['md', 'mdx', 'markdown', 'mdc'].includes(endingOf(path)));

/** Has it no comments, so that one in it is a mark for the reader? */
export const hasNoComments = (path: string): boolean => endingOf(path) === 'json';

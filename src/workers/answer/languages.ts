/** Names of files that have no extension. */
const BARE_NAMES: ReadonlySet<string> = new Set([
  ...['Dockerfile', 'Containerfile', 'Makefile', 'GNUmakefile', 'Procfile', 'Gemfile', 'Rakefile', 'Jenkinsfile'],
  ...['Vagrantfile', 'Caddyfile', 'Brewfile', 'Justfile', 'justfile', 'Pipfile', 'CODEOWNERS'],
]);

/** Names of files that have no extension and are also words of prose, as in "Here is the README". */
const WORD_NAMES: ReadonlySet<string> = new Set([
  ...['LICENSE', 'LICENCE', 'NOTICE', 'AUTHORS', 'CHANGELOG', 'README', 'WORKSPACE', 'BUILD'],
]);

/**
 * Languages and file extensions that belong together. A block of one of these languages can only be a file with an
 * extension of the same group.
 */
const GROUPS: readonly string[] = [
  'ts typescript tsx mts cts js javascript jsx mjs cjs node',
  'py python python3 py3 pyi pyw',
  'rs rust',
  'go golang',
  'java',
  'kt kotlin kts',
  'rb ruby rake gemspec',
  'cs csharp c#',
  'c h cpp c++ cxx cc hpp hh ino m objc objective-c',
  'html htm vue svelte ejs hbs handlebars astro xml svg erb jinja j2 njk xsd xsl xslt csproj fsproj props targets plist xaml pom config php blade twig',
  'toml lock',
  'ini cfg conf properties dotenv env example service nginx',
  'swift',
  'scala sbt sc',
  'lua',
  'dart',
  'r rmd',
  'elixir ex exs',
  'haskell hs lhs',
  'dockerfile docker containerfile',
  'makefile make mk mak',
  'graphql gql graphqls',
  'proto protobuf',
  'prisma',
  'hcl terraform tf tfvars',
  'css scss sass less',
  'sql postgresql mysql sqlite',
  'json jsonc json5 webmanifest map code-workspace',
  'yaml yml cff',
  'md markdown mdx mdc',
  'sh bash shell zsh fish ksh ps1 psm1 powershell bat cmd bats',
];

const GROUP_OF: ReadonlyMap<string, number> = new Map(
  GROUPS.flatMap((names, group) => names.split(' ').map((name) => [name, group] as const)),
);

/** Languages of blocks that usually hold commands, output or diagrams. */
const SHOWN: ReadonlySet<string> = new Set(
  'sh bash shell zsh fish ksh console terminal shellsession shell-session powershell ps1 pwsh cmd bat output log logs text txt plaintext plain tree mermaid http curl cli stdout'.split(
    ' ',
  ),
);

/** Returns true if blocks of this language usually show commands, output or a diagram, and are no files. */
export const isShown = (language: string): boolean => SHOWN.has(language);

/** Extensions that are also common names of properties and methods, as in `console.log`. */
const ALSO_PROPERTIES: ReadonlySet<string> = new Set(
  'log map env in example lock config props r c h m go node make text pom service'.split(' '),
);

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the extension in lower case without its dot, or an empty string. */
function endingOf(path: string): string {
  const name = lastName(path);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const isBareName = (path: string): boolean =>
  BARE_NAMES.has(lastName(path)) ||
  /^Dockerfile\./.test(lastName(path)) ||
  (WORD_NAMES.has(lastName(path)) && path.includes('/'));

/** Returns true for an extension without a name, such as `.ts`, in contrast to a file such as `.gitignore`. */
function isOnlyEnding(path: string): boolean {
  const name = lastName(path);
  const ending = endingOf(path);
  return name === `.${ending}` && GROUP_OF.has(ending) && ending !== 'env';
}

/** Matches `name.ext`, with or without folders. Excludes versions (`python3.11`), attributes, and marks of prose. */
const NAME = /^[^={}<>"'|`:*?：，。；、（）「」『』【】…\uE000]*\.[A-Za-z][\w-]*$/u;

/** Matches names of products that look like files, such as `Node.js`. */
const PRODUCT =
  /^(?:(?:node|next|nuxt|vue|react|express|three|ember|chart|alpine|backbone|d3|p5)\.js|(?:asp|vb|ml|ado)\.net|socket\.io)$/i;

/** Returns true for a text in quotation marks of code that is a path. Such a path may have no extension. */
export const isQuotedPath = (word: string): boolean =>
  isFileName(word) || WORD_NAMES.has(word) || /^(?:[\w.@~-]+\/)+[\w.@-]*\w$/.test(word);

/** Returns true for a name with an extension, or a well-known name without one. */
export const isFileName = (word: string): boolean =>
  word !== '' &&
  !PRODUCT.test(word) &&
  !/^[a-z]+:\/\//i.test(word) &&
  ((NAME.test(word) && !isOnlyEnding(word)) || isBareName(word));

/**
 * Returns true if a word of prose surely means a file: it has a folder and an extension, or an extension of a known
 * language.
 */
export function isSurelyFile(word: string): boolean {
  if (!isFileName(word)) return false;
  const ending = endingOf(word);
  return /[\w)\]]\//.test(word) || isBareName(word) || (GROUP_OF.has(ending) && !ALSO_PROPERTIES.has(ending));
}

/** Extensions of files that may contain any text, and so may be in a block that shows commands or output. */
const ANY_TEXT: ReadonlySet<string> = new Set(
  ' txt log md conf cfg ini csv tmpl example env lock in template properties'.split(' '),
);

/** Returns true if a block of this language may hold this file. Unknown languages may hold any file. */
export function mayBe(language: string, path: string): boolean {
  const ending = endingOf(path);
  if (lastName(path) === `.${ending}` || isBareName(path)) return true;
  const group = GROUP_OF.get(language);
  const own = GROUP_OF.get(ending);
  if (group !== undefined && group === own) return true;
  if (isShown(language)) return ANY_TEXT.has(ending);
  return group === undefined || (own === undefined && path.includes('/'));
}

const PROSE: ReadonlySet<string> = new Set(['md', 'mdx', 'markdown', 'mdc', 'rst', 'adoc', 'asciidoc', 'txt']);

export const isProseFile = (path: string): boolean => PROSE.has(endingOf(path));

const MARKUP: ReadonlySet<string> = new Set(
  'html htm xml svg vue svelte astro tsx jsx md mdx xaml plist php erb ejs hbs njk j2 jinja'.split(' '),
);

/** Returns true for files in which tags and character references such as `&lt;` are usual. */
export const isMarkup = (path: string): boolean => MARKUP.has(endingOf(path)) || isProseFile(path);

/**
 * Returns true for JSON files. JSON has no comments, so a comment in such a block is only the model's note of the
 * file's path.
 */
export const hasNoComments = (path: string): boolean => endingOf(path) === 'json';

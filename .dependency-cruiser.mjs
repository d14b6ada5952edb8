// The architecture as a table: which folders each folder of src/ may import besides itself. There is no list of
// exceptions: to relax a rule, change it here and add a decision record.
const MAY_IMPORT = {
  protocol: [],
  logic: ['protocol'],
  machines: ['logic', 'protocol'],
  compiler: ['machines', 'protocol'],
  io: ['protocol'],
  workers: ['protocol'],
  actors: ['machines', 'logic', 'io', 'protocol'],
  clash: ['io', 'protocol'],
  engine: ['compiler', 'machines', 'logic', 'actors', 'workers', 'clash', 'io', 'protocol'],
  layout: ['protocol'],
  'host/wire': ['io', 'protocol'],
  'host/client': ['host/wire', 'io', 'protocol'],
  'host/inspector': ['host/client', 'protocol'],
  'host/layout': ['layout', 'protocol'],
  'host/server': ['host/wire', 'host/layout', 'engine', 'layout', 'protocol'],
  cli: ['engine', 'host', 'clash', 'layout', 'protocol'],
  language: ['compiler', 'protocol'],
  extension: ['host/client', 'host/inspector', 'language', 'protocol'],
  'roberto-mcp': ['protocol'],
};

// The npm packages that each listed folder may import. Packages that do I/O are wrapped in src/io, which is not
// limited.
const MAY_USE_NPM = {
  protocol: [],
  logic: [],
  machines: ['xstate'],
  compiler: ['jsonc-parser'],
  workers: ['diff', 'jsonc-parser', 'picomatch', 'sax', 'tap-parser'],
  actors: ['xstate'],
  engine: ['xstate', 'ajv', 're2js'],
  layout: ['elkjs'],
  language: ['jsonc-parser'],
  host: ['vscode-jsonrpc'],
};

const OURS = '^(src|bin|webview-ui|test|scripts|schemas|demo|bench)/';
const THE_WORLD = [
  ['child_process', 'cluster', 'worker_threads', 'process', 'os'],
  ['fs', 'fs/promises', 'sqlite'],
  ['net', 'tls', 'dgram', 'dns', 'dns/promises', 'http', 'http2', 'https'],
].flat();

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const oneOf = (names) => `(${names.join('|')})`;

const layers = Object.entries(MAY_IMPORT).map(([folder, allowed]) =>
  rule(
    `layer-${folder.replace('/', '-')}`,
    `${folder} may import: ${allowed.join(', ') || 'nothing'}`,
    { path: `^src/${folder}/` },
    { path: OURS, pathNot: `^src/${oneOf([folder, ...allowed])}/` },
  ),
);

const npmLists = Object.entries(MAY_USE_NPM).map(([folder, packages]) =>
  rule(
    `npm-${folder}`,
    `${folder} may use: ${packages.join(', ') || 'no package'}`,
    { path: `^src/${folder}/` },
    { path: 'node_modules/', pathNot: packages.map((name) => `node_modules/(@types/)?${name}/`) },
  ),
);

const phases = [1, 2, 3, 4].map((phase) =>
  rule(
    `compiler-phase-${phase}-looks-back-only`,
    'a phase never imports a later one, nor the pipeline',
    { path: `^src/compiler/${phase}-` },
    { path: [`^src/compiler/[${phase + 1}-9]-`, '^src/compiler/index[.]ts$'] },
  ),
);

// Circles between a folder and its own sub-folder: a folder's own files import its sub-folders, never the reverse. The
// views' second script is loaded by its list of components, which stands above them.
const fromAbove = ['src/.*/', 'webview-ui/src/', 'webview-ui/src/.*/'].flatMap((above) =>
  [1, 2, 3].map((levels) =>
    rule(
      'no-import-from-above',
      'a sub-folder imports no file that stands directly in a folder above it: such a file moves into a sub-folder',
      { path: `^(${above})${'[^/]+/'.repeat(levels)}[^/]+$` },
      { path: '^$1[^/]+$', pathNot: '^webview-ui/src/load-more[.]svelte[.]ts$' },
    ),
  ),
);

export default {
  forbidden: [
    ...layers,
    ...npmLists,
    ...phases,
    ...fromAbove,
    rule(
      'pure-folders-touch-no-node',
      'protocol, logic, machines, compiler, workers, layout and language run anywhere',
      { path: '^src/(protocol|logic|machines|compiler|workers|layout|language)/' },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'only-io-touches-the-world',
      'files, processes and the network live in src/io',
      { path: '^src/', pathNot: '^src/(io|host|cli|extension|roberto-mcp)/' },
      { dependencyTypes: ['core'], path: `^(node:)?${oneOf(THE_WORLD)}$` },
    ),
    rule(
      'actors-talk-by-events',
      'one actor folder never imports another',
      { path: '^src/actors/([^/]+)/' },
      { path: '^src/actors/', pathNot: '^src/actors/$1/' },
    ),
    rule(
      'front-ends-do-not-mix',
      'the command line and the extension share the engine, not each other',
      { path: '^src/(cli|extension)/' },
      { path: '^src/(cli|extension)/', pathNot: '^src/$1/' },
    ),
    rule(
      'only-extension-knows-vscode',
      'types count too',
      { pathNot: '^(src|test)/extension/|^test/desktop/' },
      { path: '^vscode$|@types/vscode' },
    ),
    rule(
      'extension-holds-the-host-client',
      'the engine runs in a process of its own that outlives windows',
      { path: '^src/extension/' },
      { path: '^src/host/', pathNot: '^src/host/(client|inspector)/index[.]ts$' },
    ),
    rule(
      'doors',
      'clash, compiler, engine, language, layout, host/client, host/inspector, host/layout, host/server and an actor folder are entered through their index; the engine also through authoring.ts, which starts nothing, and telemetry.ts, which the library does not need',
      { path: '^src/([^/]+)', pathNot: '^src/extension/' },
      {
        path: '^src/(clash|compiler|engine|language|layout|host)/|^src/actors/[^/]+/',
        pathNot: [
          '^src/$1/',
          '^src/(clash|compiler|engine|language|layout|host/client|host/inspector|host/layout|host/server|actors/[^/]+)/index[.]ts$',
          '^src/engine/(authoring|telemetry)[.]ts$',
        ],
      },
    ),
    rule(
      'library-opens-doors-only',
      'src/index.ts hands out what engine, compiler and protocol export',
      { path: '^src/index[.]ts$' },
      { path: OURS, pathNot: '^src/(engine/(index|authoring)[.]ts$|compiler/index[.]ts$|protocol/)' },
    ),
    rule(
      'cross-folder-imports-use-hash',
      'relative = same folder, # = another folder, bare = npm',
      { path: '^src/([^/]+)/' },
      { path: '^src/', pathNot: '^src/$1/', dependencyTypesNot: ['aliased-subpath-import'] },
    ),
    rule(
      'bin-is-a-shim',
      'it starts the command line, as source or as built',
      { path: '^bin/' },
      { path: [OURS, 'node_modules/'], pathNot: '^(bin|src/cli)/' },
    ),
    rule(
      'webview-sees-protocol-only',
      'it shows snapshots and sends messages',
      { path: '^webview-ui/' },
      { path: OURS, pathNot: '^(webview-ui|src/protocol)/' },
    ),
    rule('webview-has-no-node', 'it runs in a browser', { path: '^webview-ui/src/' }, { dependencyTypes: ['core'] }),
    rule(
      'production-never-imports-tests',
      '',
      { path: '^(src|bin|webview-ui/src|demo|scripts)/' },
      { path: '^test/|[.]test[.]' },
    ),
    rule(
      'e2e-uses-the-front-doors',
      'they know the command line, the packed library and the protocol; so does the demo',
      { path: '^(test/e2e|demo)/' },
      { path: '^src/', pathNot: '^src/protocol/' },
    ),
    rule('no-circular', 'types count too', {}, { circular: true }),
    {
      ...rule(
        'no-circle-of-folders',
        'sub-folders of one folder form layers too',
        { path: '^(src/[^/]+|webview-ui/src)/[^/]+' },
        { circular: true },
      ),
      scope: 'folder',
    },
    rule(
      'no-orphans',
      'nobody imports it and it imports nobody: delete it',
      { orphan: true, pathNot: ['[.]d[.]ts$', '[.]config[.]', '^(test|bin|scripts|demo)/'] },
      {},
    ),
    rule(
      'not-to-unresolvable',
      '',
      {},
      { couldNotResolve: true, pathNot: ['^vscode$', '^node-llama-cpp$', '/dist/(cli|roberto-mcp)/main[.]js$'] },
    ),
    rule(
      'not-to-dev-dependency',
      'it would be missing in the package',
      { path: '^(src|bin)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '@types/' },
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^((bench|test/llama|test/agents)/node_modules|demo/sample|test/samples)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.svelte', '.d.ts', '.json'],
    },
  },
};

import { execFileSync, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { definitionsOnly } from './definitions-only.ts';
import { atLeast, atMost, type Pair } from './measure.ts';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const MAIN = path.join(REPOSITORY, 'dist/roberto-mcp/main.js');
/** The engine starts its servers with this option (`src/io/code-analysis/server-program.ts`). */
const HEAP = ['--max-semi-space-size=2'];
const FILES = 10_000;
const SOURCES = 'node_modules/{zod,ajv,@azure/*,@ai-sdk/*,@apidevtools/*}/{src,lib}/**/*.{ts,js}';
/**
 * The other measured languages. Go, Rust and Java are measured only if `node scripts/fetch-corpora.ts` has fetched
 * their sources.
 */
const OTHERS = [
  { language: 'Python', pattern: '/usr/lib/python3.*/**/*.py' },
  { language: 'Go', pattern: `${homedir()}/.cache/robosmith-corpora/go/**/*.go` },
  { language: 'Rust', pattern: `${homedir()}/.cache/robosmith-corpora/rust/**/*.rs` },
  { language: 'Java', pattern: `${homedir()}/.cache/robosmith-corpora/java/**/*.java` },
] as const;
const OTHER_FILES = 1_500;

const milliseconds = (value: number): number => value * 1_000;
const megabytes = (bytes: number): number => bytes / 1_048_576;
const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

interface Server {
  readonly ask: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;
  readonly processId: number;
  readonly close: () => Promise<void>;
}

async function start(root: string, cache: string): Promise<Server> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...HEAP, MAIN, root, '--cache', cache],
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  return {
    processId: transport.pid ?? 0,
    ask: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, { timeout: 600_000 })).structuredContent as Readonly<
        Record<string, unknown>
      >,
    close: () => client.close(),
  };
}

async function timedMs<T>(work: () => Promise<T> | T): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Copies real source files until the tree has this many files. The content of each copy differs. */
function makeTree(folder: string, sources: readonly string[], files: number): void {
  for (let index = 0; index < files; index += 1) {
    const source = sources[index % sources.length]!;
    const round = Math.floor(index / sources.length);
    const name = source
      .replace(/^.*?(?:node_modules|python3[^/]*|robosmith-corpora)\//u, '')
      .replaceAll('/node_modules/', '/inner/');
    const target = path.join(folder, `part${round}`, name);
    mkdirSync(path.dirname(target), { recursive: true });
    const comment = name.endsWith('.py') ? '#' : '//';
    writeFileSync(target, `${readFileSync(source, 'utf8')}\n${comment} copy ${round}\n`);
  }
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=start');
}

const smallFiles = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: REPOSITORY })
    .map((file) => path.resolve(REPOSITORY, file))
    .filter((file) => !file.endsWith('.d.ts') && !file.endsWith('.min.js') && statSync(file).size < 200_000)
    .sort();

/** Returns the milliseconds of `ctags -R` on the tree, or null if it failed or is not installed. */
function ctagsMs(root: string, languages: string): number | null {
  const run = (): number => {
    const began = performance.now();
    const { status } = spawnSync('ctags', ['-R', `--languages=${languages}`, '-f', '/dev/null', root], {
      stdio: 'ignore',
    });
    return status === 0 ? performance.now() - began : Number.NaN;
  };
  const best = Math.min(run(), run());
  return Number.isNaN(best) ? null : best;
}

/**
 * Samples the resident memory of a process and its children. `stop` returns the largest value of any single process, in
 * bytes.
 */
function watchMemory(processId: number): { readonly stop: () => number } {
  let peak = 0;
  const rssOf = (id: string): number => {
    try {
      return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
    } catch {
      return 0;
    }
  };
  const timer = setInterval(() => {
    try {
      const children = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').split(' ').filter(Boolean);
      peak = Math.max(peak, ...[String(processId), ...children].map(rssOf));
    } catch {
      // The process has ended.
    }
  }, 50);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

const residentNow = (processId: number): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0) * 1_024;

type Call = readonly [string, Readonly<Record<string, unknown>>];

/** Names with thousands of references in the sources. */
const COMMON = (
  'this string Promise type undefined value options error result name key data const length message path request ' +
  'response id params input output context method url body headers code index args'
).split(' ');

const WORDS = [
  ...['error message', 'parse schema', 'token cache', 'request url', 'create object', 'string length', 'value type'],
  ...['read file name', 'async iterator result', 'http status code', 'default options', 'retry policy', 'stream chunk'],
  ...['map key value', 'date format', 'string', 'abort signal', 'json parse', 'header name', 'unknown type error'],
  ...['upload blob', 'credential scope', 'poll operation', 'number range', 'pipeline request'],
];

async function queryTimes(server: Server, root: string): Promise<readonly Pair[]> {
  const files = globSync('part0/**/*.ts', { cwd: root }).slice(0, 60);
  // Every call of a sample differs from the calls before it, so that no answer comes from the server's cache.
  const sample = async (warm: readonly Call[], calls: readonly Call[]): Promise<number> => {
    const times: number[] = [];
    for (const [name, args] of [...warm, ...calls]) times.push(await timedMs(() => server.ask(name, args)));
    return p95(times.slice(warm.length));
  };
  const outlines = files.map((file) => ['get_file_outline', { file_path: file }] as const);
  const outline = await sample(outlines.slice(0, 20), outlines.slice(20));
  const references = (names: readonly string[]): readonly Call[] =>
    names.map((name) => ['get_symbol_references', { name }] as const);
  const common = await sample(references(COMMON.slice(0, 5)), references(COMMON.slice(5)));
  const unknown = Array.from({ length: 40 }, (_, serial) => `noSuchNameAnywhere${serial}`);
  const rare = await sample(references(unknown.slice(0, 10)), references(unknown.slice(10)));
  const searches = WORDS.map((query) => ['code_search', { query, max_results: 20 }] as const);
  const search = await sample(searches.slice(0, 5), searches.slice(5));
  return [
    atMost('code index: outline over the protocol, p95', 1, milliseconds(outline), milliseconds(20)),
    atMost('code index: references of a common name, p95', 1, milliseconds(common), milliseconds(20)),
    atMost('code index: references of a rare name, p95 (with the protocol)', 1, milliseconds(rare), milliseconds(1)),
    atMost('code index: BM25 top 20, p95', 1, milliseconds(search), milliseconds(20)),
  ];
}

async function changeTimes(server: Server, root: string): Promise<readonly Pair[]> {
  const files = globSync('part0/**/*.ts', { cwd: root }).slice(0, 1_000);
  const [first] = files;
  const times: number[] = [];
  for (let serial = 0; serial < 60; serial += 1) {
    writeFileSync(
      path.join(root, first!),
      `${readFileSync(path.join(root, first!), 'utf8')}\nexport const bench${serial} = 1;\n`,
    );
    times.push(await timedMs(() => server.ask('get_symbol_references', { name: `bench${serial}` })));
  }
  const one = p95(times.slice(5));
  for (const file of files)
    writeFileSync(path.join(root, file), `${readFileSync(path.join(root, file), 'utf8')}\n// changed\n`);
  const many = await timedMs(() => server.ask('find_symbol', { query: 'bench1' }));
  return [
    atMost('code index: one file changed, seen by the next query, p95', 1, milliseconds(one), milliseconds(50)),
    atMost(`code index: ${files.length} files changed at once`, 1, milliseconds(many), milliseconds(5_000)),
  ];
}

async function typescriptTree(folder: string): Promise<readonly Pair[]> {
  const root = path.join(folder, 'tree');
  mkdirSync(root);
  makeTree(root, smallFiles(SOURCES), FILES);
  const cache = path.join(folder, 'cache');
  const ctags = ctagsMs(root, 'TypeScript,JavaScript');

  const definitions = await definitionsOnly(codeOf(root));
  const server = await start(root, cache);
  const memory = watchMemory(server.processId);
  const cold = await timedMs(() => server.ask('index_code'));
  const peak = memory.stop();
  const changes = await changeTimes(server, root);
  const queries = await queryTimes(server, root);
  await server.close();

  const warm: number[] = [];
  let idle = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round += 1) {
    let again: Server | null = null;
    warm.push(
      await timedMs(async () => {
        again = await start(root, cache);
        await again.ask('get_symbol_references', { name: 'bench1' });
      }),
    );
    const running = again as Server | null;
    if (running === null) continue;
    idle = residentNow(running.processId);
    await running.close();
  }
  const warmBest = Math.min(...warm);

  const second = path.join(folder, 'second');
  execFileSync('git', ['worktree', 'add', '--quiet', second], { cwd: root });
  const bytesBefore = folderBytes(cache);
  const fresh = await timedMs(async () => {
    const other = await start(second, cache);
    await other.ask('get_status');
    await other.ask('find_symbol', { query: 'bench1' });
    await other.close();
  });
  const added = folderBytes(cache) - bytesBefore;
  return [
    ...(ctags === null
      ? []
      : [
          atMost(
            `code index: definitions only of ${FILES} TypeScript files, 2 threads, against ctags -R`,
            1.5,
            milliseconds(definitions),
            milliseconds(ctags),
          ),
          atMost(
            `code index: ${FILES} TypeScript files cold, against ctags -R`,
            2.5,
            milliseconds(cold),
            milliseconds(ctags),
          ),
          atLeast(
            'code index: warm start to the first answer, against ctags -R again',
            5,
            milliseconds(warmBest),
            milliseconds(ctags),
          ),
        ]),
    atMost(
      `code index: warm start of ${FILES} files to the first answer`,
      1,
      milliseconds(warmBest),
      milliseconds(300),
    ),
    atMost(
      'code index: new worktree of an indexed repository to the first answer',
      1,
      milliseconds(fresh),
      milliseconds(1_000),
    ),
    atMost('code index: bytes added by a new worktree, against 1 % of the index', 1, added, bytesBefore / 100, 'bytes'),
    ...changes,
    ...queries,
    atMost('code index: resident memory when idle', 1, megabytes(idle), 120, 'MB'),
    atMost('code index: largest process while indexing', 1, megabytes(peak), 800, 'MB'),
  ];
}

/** The files of a tree without those of git. */
const codeOf = (root: string): readonly string[] =>
  globSync('**/*.{ts,js,py,go,rs,java}', { cwd: root }).map((file) => path.join(root, file));

const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:wal|shm)$/u.test(entry.name))
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);

async function otherLanguage(folder: string, { language, pattern }: (typeof OTHERS)[number]): Promise<readonly Pair[]> {
  const sources = smallFiles(pattern);
  if (sources.length < 200) {
    console.log(`     code index: ${language} is not measured: there are no sources`);
    return [];
  }
  const files = Math.min(sources.length, OTHER_FILES);
  const root = path.join(folder, language);
  mkdirSync(root);
  makeTree(root, sources, files);
  const ctags = ctagsMs(root, language);
  const server = await start(root, path.join(folder, `${language}-cache`));
  const cold = await timedMs(() => server.ask('index_code'));
  await server.close();
  const definitions = await definitionsOnly(codeOf(root));
  return ctags === null
    ? []
    : [
        atMost(
          `code index: definitions only of ${files} ${language} files, 2 threads, against ctags -R`,
          8,
          milliseconds(definitions),
          milliseconds(ctags),
        ),
        atMost(
          `code index: ${files} ${language} files cold, against ctags -R`,
          12,
          milliseconds(cold),
          milliseconds(ctags),
        ),
      ];
}

/**
 * Measures indexing and queries of the analysis server over its protocol, compared with Universal Ctags on the same
 * tree.
 */
export async function codeIndex(): Promise<readonly Pair[]> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-bench-index-')));
  try {
    const pairs = [...(await typescriptTree(folder))];
    for (const other of OTHERS) pairs.push(...(await otherLanguage(folder, other)));
    return pairs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

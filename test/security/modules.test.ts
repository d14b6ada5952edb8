import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeModule } from '#engine/modules/describe-module.ts';
import { createModuleThreads } from '#engine/modules/module-threads.ts';
import { moduleWorker } from '#engine/modules/module-worker.ts';
import { createModuleOutput } from '#engine/modules/module-output.ts';
import { wallClock } from '#io/clock/clock.ts';
import { allowedEnvironment } from '#io/process/environment.ts';
import { findModule, type ModuleFile } from '#io/project/module-file.ts';
import { redactorOf, streamRedactorOf } from '#io/providers/redact.ts';
import { type Project, project, to } from '../e2e/cli/robosmith.ts';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-security-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A module whose worker evaluates `load` at each execution. */
const loading = (load: string): string => `
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
const require = createRequire(import.meta.url);
const n = 'h';
const started = (entry, options) => new Promise((resolve, reject) => {
  new Worker(entry, options).on('exit', resolve).on('error', reject);
});
export const W = { sideEffects: 'none', execute: async () => {
  await (${load});
  return { signal: 'SIGNAL:SUCCESS' };
} };`;

const mark = (): string => path.join(folder, 'executed');

/** Code of every kind that leaves a mark when it is executed. */
const marking = (): string => `process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(mark())}, '');`;

/** A WebAssembly module that imports the function `f` of `./h.mjs`. */
const IMPORTING_WASM = Buffer.from('0061736d01000000010401600000020d01072e2f682e6d6a7301660000', 'hex');

async function foundModule(more: readonly string[] = []): Promise<ModuleFile> {
  const module = await findModule(path.join(folder, 'w.mjs'), folder, more);
  if (module === null) throw new Error('the module was just written');
  return module;
}

const MEMORY = { payload: [], system: { node: 'N' } } as never;
const SERVICES = { clock: wallClock, files: null, commands: {}, block: null, progress: () => undefined } as never;

/** Executes the worker of a module once. */
async function execute(module: ModuleFile, threads = createModuleThreads()): Promise<unknown> {
  const described = await describeModule(module, ['W'], wallClock, process.env, threads);
  if ('problem' in described) throw new Error(described.problem);
  const found = described.exports['W'];
  if (found === undefined || 'problem' in found) throw new Error('it is no worker');
  return moduleWorker(module, 'W', found, process.env, threads).execute(MEMORY, SERVICES, new AbortController().signal);
}

test.each([
  ['a template', 'import(`./${n}.mjs`)'],
  ['a path that is joined', "import(path.join(import.meta.dirname, n + '.mjs'))"],
  ['an address', "import(new URL(n + '.mjs', import.meta.url).href)"],
  ['the folder of the process', "import('/proc/self/cwd/' + n + '.mjs')"],
  ['a link', "import(['./li', 'nk.mjs'].join(''))"],
  ['a data address', "import('data:text/javascript,import ' + JSON.stringify(new URL(n + '.mjs', import.meta.url)))"],
  ['require', "require('./' + n)"],
  ['the loader of Node', "process.getBuiltinModule('module')._load(path.join(import.meta.dirname, n + '.cjs'))"],
  ['code in a file called .JSON', "require('./' + 'x.JSON')"],
  ['code in a file called .wasm', "require('./' + ['x.wa', 'sm'].join(''))"],
  ['code in a file called .txt', "require('./' + 'x.txt')"],
  ['WebAssembly', "import('./' + 'y.wasm')"],
  ['a package', "require('qq'.slice(1))"],
  ['a native addon', "require('./' + ['z.no', 'de'].join(''))"],
  ['a worker thread', "started(new URL(n + '.mjs', import.meta.url))"],
  ['a worker thread with flags of its own', "started(new URL(n + '.mjs', import.meta.url), { execArgv: [] })"],
  [
    'the text of a worker thread',
    'started(`require(${JSON.stringify(path.join(import.meta.dirname, n + ".cjs"))})`, { eval: true })',
  ],
  ['a hook', "process.getBuiltinModule('module').register('./' + n + '.mjs', import.meta.url)"],
])('a module executes no file that was not approved: %s', async (_how, load) => {
  const names = ['h.mjs', 'h.cjs', 'h.js', 'x.JSON', 'x.wasm', 'x.txt', 'z.node', 'node_modules/q/index.js'];
  for (const name of names) write(name, marking());
  write('node_modules/q/package.json', '{"name":"q"}');
  writeFileSync(path.join(folder, 'y.wasm'), IMPORTING_WASM);
  symlinkSync('h.mjs', path.join(folder, 'link.mjs'));
  write('w.mjs', loading(load));
  const before = process.cwd();
  process.chdir(folder);
  try {
    await expect(execute(await foundModule())).rejects.toThrow(/not among the files that were approved|not available/);
  } finally {
    process.chdir(before);
  }
  expect(existsSync(mark())).toBe(false);
});

test.each([
  ['a static import', "import './h.mjs';", ['h.mjs']],
  ['an address', "new URL('h.mjs', import.meta.url)", ['h.mjs']],
  ['a path that is joined', "path.join(import.meta.dirname, 'h.mjs')", ['h.mjs']],
  ['the name of its own package', "import 'proj/h';", ['lib/h.mjs']],
  ['a pattern of its own package', "import '#lib/h';", ['lib/h.mjs']],
  ['an installed package', "import 'q';", ['node_modules/q/lib/h.mjs', 'node_modules/r/h.mjs']],
])('the list proposes what a module names: %s', async (_how, code, expected) => {
  write('package.json', '{"name":"proj","exports":{"./*":"./lib/*.mjs"},"imports":{"#lib/*":"./lib/*.mjs"}}');
  for (const name of ['h.mjs', 'lib/h.mjs', 'node_modules/q/lib/h.mjs', 'node_modules/r/h.mjs']) write(name, '');
  write('node_modules/q/package.json', '{"name":"q","dependencies":{"r":"1"}}');
  write('w.mjs', code);
  const { files } = await foundModule();
  const found = [...files.keys()].map((file) => path.relative(folder, file)).filter((file) => /h\.mjs$/.test(file));
  expect(found).toEqual(expect.arrayContaining(expected));
});

test('a file with a computed name is loaded once the registry lists it, and not after it has changed', async () => {
  write('w.mjs', loading('import(`./${n}.mjs`)'));
  write('h.mjs', marking());
  const listed = await foundModule(['*.mjs']);
  await execute(listed);
  expect(existsSync(mark())).toBe(true);
  rmSync(mark());
  write('h.mjs', `${marking()} // changed`);
  await expect(execute(listed)).rejects.toThrow('has been changed since the run began');
  expect(existsSync(mark())).toBe(false);
});

test('a file that changes after the check, while the module runs, is not executed', async () => {
  const change = `process.getBuiltinModule('fs').appendFileSync(${JSON.stringify(path.join(folder, 'h.mjs'))}, ' //')`;
  write('w.mjs', loading(`(${change}, import('./h.mjs'))`));
  write('h.mjs', marking());
  await expect(execute(await foundModule())).rejects.toThrow('h.mjs has changed since it was approved');
  expect(existsSync(mark())).toBe(false);
});

test.each([
  ['another kind of module', { type: 'commonjs' }, { type: 'module' }],
  ['another file by its own name', { imports: { '#x': './a.mjs' } }, { imports: { '#x': './b.mjs' } }],
])(
  'a package.json that makes %s of approved files is another list, and no other change is',
  async (_, before, after) => {
    const fingerprint = async (fields: object): Promise<string> => {
      write('package.json', JSON.stringify(fields));
      return (await foundModule()).fingerprint;
    };
    for (const name of ['a.mjs', 'b.mjs', 'k.js']) write(name, '');
    write('w.mjs', "import '#x'; import './a.mjs'; import './b.mjs'; import './k.js';");
    const approved = await fingerprint(before);
    expect(await fingerprint({ ...before, version: '2.0.0', scripts: { test: 'x' } })).toBe(approved);
    expect(await fingerprint(after)).not.toBe(approved);
  },
);

test('a link that leads to another approved file is another list', async () => {
  for (const name of ['a.mjs', 'b.mjs']) write(name, '');
  write('w.mjs', "import './link.mjs'; import './a.mjs'; import './b.mjs';");
  const fingerprint = async (target: string): Promise<string> => {
    const link = path.join(folder, 'link.mjs');
    rmSync(link, { force: true });
    symlinkSync(target, link);
    return (await foundModule()).fingerprint;
  };
  const approved = await fingerprint('a.mjs');
  expect(await fingerprint('b.mjs')).not.toBe(approved);
  expect(await fingerprint('a.mjs')).toBe(approved);
});

test('an idle thread executes nothing of a module that has changed', async () => {
  write('w.mjs', `import './h.mjs';${loading('null')}`);
  write('h.mjs', '1');
  const [module, threads] = [await foundModule(), createModuleThreads()];
  await execute(module, threads);
  write('h.mjs', '2');
  await expect(execute(module, threads)).rejects.toThrow('has been changed since the run began');
});

test('what a module prints has no key in it, and steers no terminal', () => {
  const reported: string[] = [];
  const output = createModuleOutput((text) => reported.push(text), { OPENAI_API_KEY: 'sk-test-module-output-0001' });
  for (const part of ['a \u001b]0;title\u0007sk-test-module', '-output-0001 b\n', 'rest'])
    output.add(new TextEncoder().encode(part));
  output.end();
  expect(reported).toEqual(['a [key] b\n', 'rest']);
});

const each = (key: string, spell: (code: number) => string): string =>
  [...key].map((character) => spell(character.charCodeAt(0))).join('');

const hex = (code: number, digits = 2): string => code.toString(16).padStart(digits, '0');

test.each<[string, (key: string) => string]>([
  ['base64 for addresses', (key) => Buffer.from(key).toString('base64url')],
  ['the base64 of UTF-16', (key) => Buffer.from(key, 'utf16le').toString('base64')],
  ['hex', (key) => Buffer.from(key).toString('hex')],
  ['hex with spaces', (key) => each(key, (code) => `${hex(code)} `)],
  ['hex with colons', (key) => each(key, (code) => `${hex(code).toUpperCase()}:`)],
  ['hex with prefixes', (key) => each(key, (code) => `0x${hex(code)}, `)],
  ['percents', (key) => each(key, (code) => `%${hex(code)}`)],
  ['percents in capitals', (key) => each(key, (code) => `%${hex(code).toUpperCase()}`)],
  ['one percent', (key) => key.replace('-', '%2D')],
  ['percents in small letters', (key) => encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['escaped slashes', (key) => key.replaceAll('/', String.raw`\/`)],
  ['escapes of JSON', (key) => each(key, (code) => `\\u${hex(code, 4)}`)],
  ['escapes of JavaScript', (key) => each(key, (code) => (code % 2 ? `\\x${hex(code)}` : `\\u{${hex(code)}}`))],
  ['references of HTML', (key) => each(key, (code) => (code % 2 ? `&#${String(code)};` : `&#x${hex(code)};`))],
  ['UTF-16', (key) => each(key, (code) => `${String.fromCharCode(code)}\0`)],
  ['colours', (key) => each(key, (code) => `${String.fromCharCode(code)}\u001b[0;1m`)],
  ['characters without width', (key) => each(key, (code) => `${String.fromCharCode(code)}\u200b`)],
])('a key in %s is taken out, also where it arrives in pieces', (_how, spell) => {
  const key = 'sk-test-ab>>?+/cd/0001';
  const text = `a ${spell(key)} b`;
  const whole = redactorOf([key])(text);
  expect(whole).toMatch(/^a (?:0x)?\[key\].{0,9} b$/);
  const stream = streamRedactorOf([key])();
  const parts = [...text.matchAll(/[^]{1,7}/g)].map(([part]) => stream.next(part));
  expect((parts.join('') + stream.rest()).includes(text.slice(2, 40))).toBe(false);
});

/** Breaks a text over lines of this length. */
const inLines = (text: string, length: number, end = '\n'): string =>
  text.replaceAll(new RegExp(`.{${String(length)}}(?=.)`, 'g'), `$&${end}`);

const LONG_KEY = `sk-test-${'aB3/dE6+'.repeat(12)}0001`;

test.each([
  ['base64', inLines(Buffer.from(`x ${LONG_KEY} y`).toString('base64'), 76)],
  ['the base64 of openssl', inLines(Buffer.from(LONG_KEY).toString('base64'), 64)],
  ['the hex of xxd', inLines(Buffer.from(LONG_KEY).toString('hex'), 60)],
  ['lines of Windows', inLines(Buffer.from(LONG_KEY).toString('base64'), 76, '\r\n')],
  ['a narrow window', inLines(LONG_KEY, 40)],
])('a key that is broken over lines is taken out: %s', (_how, text) => {
  const said = `before\n${text}\nafter\n`;
  const bare = (shown: string): string => shown.replaceAll(/[\r\n]/g, '');
  const whole = redactorOf([LONG_KEY])(said);
  expect(bare(whole)).toMatch(/^before.{0,9}\[key\].{0,9}after$/);
  const stream = streamRedactorOf([LONG_KEY])();
  const parts = [...said.matchAll(/[^]{1,7}/g)].map(([part]) => stream.next(part));
  expect(parts.join('') + stream.rest()).toBe(whole);
});

test('a line that only ends like the beginning of a key is shown at once', () => {
  const stream = streamRedactorOf([LONG_KEY])();
  expect(stream.next('all tests\n')).toBe('all tests\n');
});

test('children look for programs in no relative folder', () => {
  const pathOf = (PATH: string) => allowedEnvironment({ PATH }, [], 'linux')['PATH'];
  expect(pathOf('.::bin:/usr/bin')).toBe('/usr/bin');
  expect(pathOf('.')).toBe('/usr/local/bin:/usr/bin:/bin');
});

const RUNS_MODULE = {
  version: 1,
  entry: 'Main',
  nodes: {
    Main: {
      entry_block: 'X',
      blocks: { X: { worker: 'My:W', transitions: [to('SUCCESS', 'RETURN'), to('ERROR', 'RETURN')] } },
    },
  },
};

const moduleWith = (body: string): Promise<Project> =>
  project({
    '.vision/workflows.json': RUNS_MODULE,
    '.flow/flow.registry.json': { 'My:W': './w.mjs#w' },
    'w.mjs': `import { parentPort } from 'node:worker_threads';
      export const w = { sideEffects: 'none', execute: async () => { ${body} } };`,
  });

test('a message that a module forges ends its execution, not the engine', async () => {
  const at = await moduleWith('parentPort.postMessage(null); await new Promise((go) => setTimeout(go, 5000));');
  try {
    const { code, out, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
    expect([code, err]).toEqual([0, expect.stringContaining('an unknown message to the engine')]);
    expect(out).not.toContain('"bug"');
  } finally {
    await at.remove();
  }
});

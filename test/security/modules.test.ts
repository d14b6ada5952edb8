import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createModuleOutput } from '#engine/modules/module-output.ts';
import { allowedEnvironment } from '#io/process/environment.ts';
import { findModule } from '#io/project/module-file.ts';
import { importedFiles } from '#io/project/imported-files.ts';
import { quotedStrings } from '#io/project/quoted-strings.ts';
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

test.each([
  ['the name of its own package', "import 'proj/h';"],
  ['a pattern of its own package', "import '#lib/h';"],
  ['a tab in a name', "import './li\tb/h.mjs';"],
  ['an escaped line end in a name', String.raw`import './li\nb/h.mjs';`],
  ['an escaped backslash', String.raw`import './lib\\h.mjs';`],
  ['a blank behind a name', "import './lib/h.mjs ';"],
  ['a name of 400 characters', `import '${'./'.repeat(200)}lib/h.mjs';`],
  ['an octal escape', String.raw`require('\56/lib/h.mjs')`],
  ['no word such as import', "process.getBuiltinModule('module')._load('./lib/h.mjs')"],
])('trust reaches a file by %s', async (_how, code) => {
  write('package.json', '{"name":"proj","exports":{"./*":"./lib/*.mjs"},"imports":{"#lib/*":"./lib/*.mjs"}}');
  write('lib/h.mjs', '');
  expect((await importedFiles(write('w.mjs', code), folder)).files).toContain('lib/h.mjs');
});

test('trust reaches what a data address imports, and what a file with another ending requires', async () => {
  const helper = write('h.cjs', '');
  write('t.txt', "require('./h.cjs')");
  const inner = `import%20%22file://${helper}%22`;
  expect((await importedFiles(write('a.mjs', `import 'data:text/javascript,${inner}'`), folder)).files).toEqual([
    'a.mjs',
    'h.cjs',
  ]);
  expect((await importedFiles(write('b.cjs', "require('./t.txt')"), folder)).files).toEqual([
    'b.cjs',
    'h.cjs',
    't.txt',
  ]);
});

test('a module is another one when a file that it imports has changed', async () => {
  const file = write('w.mjs', "import './h.mjs';");
  write('h.mjs', '1');
  const before = await findModule(file, folder);
  write('h.mjs', '2');
  expect((await findModule(file, folder))?.fingerprint).not.toBe(before?.fingerprint);
});

test('what a module prints has no key in it, and steers no terminal', () => {
  const reported: string[] = [];
  const output = createModuleOutput((text) => reported.push(text), { OPENAI_API_KEY: 'sk-test-module-output-0001' });
  for (const part of ['a \u001b]0;title\u0007sk-test-module', '-output-0001 b\n', 'rest'])
    output.add(new TextEncoder().encode(part));
  output.end();
  expect(reported).toEqual(['a [key] b\n', 'rest']);
});

test.each([
  ['base64 for addresses', (key: string) => Buffer.from(key).toString('base64url')],
  ['hex', (key: string) => Buffer.from(key).toString('hex')],
  ['percents alone', (key: string) => Buffer.from(key).toString('hex').replaceAll(/../g, '%$&')],
  ['percents in capitals', (key: string) => Buffer.from(key).toString('hex').toUpperCase().replaceAll(/../g, '%$&')],
  [
    'percents in small letters',
    (key: string) => encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase()),
  ],
  ['escaped slashes', (key: string) => key.replaceAll('/', String.raw`\/`)],
])('a key in %s is taken out', (_how, spell) => {
  const key = 'sk-test-ab>>?+/cd/0001';
  expect(redactorOf([key])(`a ${spell(key)} b`)).not.toContain(spell(key).slice(0, 20));
});

test.each(['\\"', "\\'", '\\`'])('a module of %s alone is looked through at once', (piece) => {
  expect([...quotedStrings(piece.repeat(1_000_000))]).toEqual([]);
});

test('a string behind an escaped quote is found', () => {
  const text = String.raw`/\"/.test(x); import("./a.mjs"); f("\\", './b.mjs'); /*\*/"./c.mjs"`;
  expect([...quotedStrings(text)].filter((one) => one.startsWith('./'))).toEqual(['./a.mjs', './b.mjs', './c.mjs']);
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

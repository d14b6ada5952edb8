import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cachePlace } from '../../../src/roberto-mcp/store/cache-place.ts';
import { type Analysis, makeScene, openAnalysis, type Scene } from './analysis.ts';
import { connect } from './connect.ts';
import { isAlive } from '../../support/is-alive.ts';

let scene: Scene;
const opened: Analysis[] = [];

beforeEach(() => {
  scene = makeScene({ 'good.ts': 'export const good = 1;\nexport const use = good;\n' });
});
afterEach(() => {
  for (const analysis of opened.splice(0)) analysis.close();
  scene.remove();
});

const open = (): Analysis => {
  const analysis = openAnalysis(scene.root, scene.cache);
  opened.push(analysis);
  return analysis;
};

const goodIsFound = async ({ ask }: Analysis): Promise<void> =>
  expect(await ask('get_symbol_references', { name: 'good' })).toMatchObject({
    total_definitions: 1,
    total_references: 1,
  });

test.each([
  ['200 KB of brackets', 'a.js', `${'['.repeat(100)}\n`.repeat(2_000)],
  ['200 KB of brackets in Python', 'a.py', `${'('.repeat(100)}\n`.repeat(2_000)],
  [
    'deep nesting of blocks',
    'a.c',
    `int f()\n${`${'{'.repeat(100)}\n`.repeat(500)}${`${'}'.repeat(100)}\n`.repeat(500)}`,
  ],
  ['deep nesting of functions', 'a.ts', `${'const f = () => {\n'.repeat(3_000)}${'}\n'.repeat(3_000)}`],
  ['an unterminated string', 'a.rs', `fn a() { let x = "${'x\n'.repeat(20_000)}`],
  ['deep nesting of a configuration', 'a.json', `${'{"a":\n'.repeat(20_000)}1${'}\n'.repeat(20_000)}`],
])('%s is read within the budget, and the rest is indexed', async (_, file, text) => {
  scene.write(file, text);
  const analysis = open();
  expect(await analysis.ask('index_code')).toMatchObject({ files: 2, skipped: {} });
  await goodIsFound(analysis);
  expect(await analysis.ask('get_file_outline', { file_path: file })).toMatchObject({ file });
});

test('a file of 100,000 lines is indexed, and its answers are bounded', async () => {
  scene.write(
    'long.py',
    Array.from({ length: 100_000 }, (_, index) => (index % 10 === 0 ? `x${index} = 1` : '')).join('\n'),
  );
  const analysis = open();
  expect(await analysis.ask('get_symbol_references', { name: 'x99990' })).toMatchObject({ total_definitions: 1 });
  const outline = await analysis.ask('get_file_outline', { file_path: 'long.py' });
  expect(outline).toMatchObject({ total_symbols: 10_000, truncated: true, lines: 100_000 });
  expect(JSON.stringify(outline).length).toBeLessThan(300_000);
});

test('thousands of imports, and the source of huge symbols, are cut, and the answer says so', async () => {
  const imports = Array.from({ length: 3_000 }, (_, at) => `import { a${at} } from './m${at}.ts';\n`);
  scene.write('many.ts', imports.join(''));
  const body = '  run(1);\n'.repeat(15_000);
  for (const name of ['one', 'two', 'three']) scene.write(`${name}.ts`, `export function huge() {\n${body}}\n`);
  const analysis = open();
  const outline = await analysis.ask('get_file_outline', { file_path: 'many.ts' });
  expect(outline).toMatchObject({ imports: { length: 500 }, truncated: true });
  const source = await analysis.ask('get_symbol_source', { name: 'huge' });
  expect(source).toMatchObject({ total: 3, truncated: true });
  const { symbols } = source as { readonly symbols: readonly { readonly source: string; readonly truncated: true }[] };
  expect(symbols.map((one) => [one.source.length, one.truncated])).toEqual([[100_000, true]]);
});

test('minified, binary, huge, UTF-16 and locked files are skipped, each with its reason', async () => {
  scene.write('app.min.js', 'var a=1;');
  scene.write('minified.js', `var a=[${'1,'.repeat(40_000)}];`);
  writeFileSync(join(scene.root, 'image.ts'), Buffer.from([0x89, 0x50, 0, 0, 1, 2]));
  scene.write('huge.ts', 'export const huge = 1;\n'.repeat(60_000));
  writeFileSync(join(scene.root, 'wide.ts'), Buffer.from('\ufeffexport const wide = 1;\n', 'utf16le'));
  scene.write('package-lock.json', '{}');
  const analysis = open();
  expect(await analysis.ask('index_code')).toMatchObject({
    files: 7,
    languages: { typescript: 1 },
    skipped: { binary: 1, generated: 3, huge: 1, unsupported_encoding: 1 },
  });
  await expect(analysis.ask('get_file_outline', { file_path: 'huge.ts' })).rejects.toMatchObject({
    code: 'not_indexed',
  });
  await goodIsFound(analysis);
});

test('invalid UTF-8 and a byte order mark do not disturb positions', async () => {
  writeFileSync(join(scene.root, 'latin.ts'), Buffer.from('// caf\xe9\nexport const latin = 1;\n', 'latin1'));
  writeFileSync(join(scene.root, 'marked.ts'), '\ufeffexport const marked = 1;\r\nexport const after = marked;\r\n');
  const analysis = open();
  expect(await analysis.ask('get_symbol_references', { name: 'latin' })).toMatchObject({
    definitions: [{ line: 2, column: 14 }],
  });
  expect(await analysis.ask('get_symbol_references', { name: 'marked' })).toMatchObject({
    definitions: [{ line: 1, column: 14 }],
    references: [{ line: 2, column: 22, text: 'export const after = marked;' }],
  });
});

test('links in circles and links out of the root are not followed', async () => {
  mkdirSync(join(scene.root, 'loop'));
  symlinkSync('..', join(scene.root, 'loop/up'));
  symlinkSync('/etc/hostname', join(scene.root, 'out.txt'));
  symlinkSync('good.ts', join(scene.root, 'alias.ts'));
  symlinkSync('self.ts', join(scene.root, 'self.ts'));
  const analysis = open();
  expect(await analysis.ask('index_code')).toMatchObject({ languages: { typescript: 1 }, skipped: { link: 4 } });
  await expect(analysis.ask('get_file_outline', { file_path: 'out.txt' })).rejects.toMatchObject({
    code: 'outside_root',
  });
  await goodIsFound(analysis);
});

test('a file with conflict markers gives both sides, and broken syntax a partial outline', async () => {
  scene.write(
    'clash.ts',
    'export const a = 1;\n<<<<<<< ours\nexport function b() {}\n=======\nexport function c() {}\n>>>>>>> theirs\nexport const d = 1;\n',
  );
  scene.write(
    'broken.ts',
    'export function one() {}\nexport function two( { if (\nexport class Three { method() {} }\n',
  );
  scene.write('broken.py', 'def one():\n    pass\n\ndef two(:\n    pass\n\ndef three():\n    pass\n');
  const { ask } = open();
  const names = async (file: string): Promise<readonly string[]> => {
    const { symbols, state } = (await ask('get_file_outline', { file_path: file })) as {
      readonly symbols: readonly { readonly name: string }[];
      readonly state: string;
    };
    expect(state).toBe('broken');
    return symbols.map(({ name }) => name);
  };
  expect(await names('clash.ts')).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
  expect(await names('broken.ts')).toEqual(expect.arrayContaining(['one', 'two', 'Three']));
  expect(await names('broken.py')).toEqual(expect.arrayContaining(['one', 'two', 'three']));
});

test('a named pipe does not stop the index', async () => {
  const made = spawn('mkfifo', [join(scene.root, 'pipe.ts')]);
  expect(await once(made, 'exit')).toEqual([0, null]);
  const analysis = open();
  await goodIsFound(analysis);
});

test('files that come and go during indexing do no harm', async () => {
  for (let index = 0; index < 400; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = good;\n`);
  const analysis = open();
  const indexing = analysis.ask('index_code');
  for (let index = 0; index < 400; index += 2) rmSync(join(scene.root, `many/n${index}.ts`));
  await indexing;
  expect(await analysis.ask('get_symbol_references', { name: 'good', max_results: 1_000 })).toMatchObject({
    total_references: 201,
  });
});

describe('the cache', () => {
  const database = (): string => cachePlace(scene.cache, scene.root).database;
  const damages: readonly (readonly [string, () => void])[] = [
    ['cut short', () => truncateSync(database(), 5_000)],
    ['empty', () => truncateSync(database(), 0)],
    ['random bytes', () => writeFileSync(database(), Buffer.alloc(200_000, 'xyz'))],
    [
      'overwritten in the middle',
      () => {
        for (const name of readdirSync(join(database(), '..')))
          if (/-(?:wal|shm)$/u.test(name)) rmSync(join(database(), '..', name));
        writeFileSync(database(), Buffer.alloc(60_000, 0xab), { flag: 'r+' });
      },
    ],
    [
      'a folder',
      () => {
        rmSync(database());
        mkdirSync(join(database(), 'inner'), { recursive: true });
      },
    ],
    ['without its list of files', () => rmSync(cachePlace(scene.cache, scene.root).overlay, { force: true })],
    ['with a damaged list of files', () => writeFileSync(cachePlace(scene.cache, scene.root).overlay, 'no list')],
  ];
  test.each(damages)('%s is rebuilt', async (_, damage) => {
    const first = openAnalysis(scene.root, scene.cache);
    await goodIsFound(first);
    first.close();
    damage();
    await goodIsFound(open());
  });

  test.each([
    ['deleted', () => rmSync(scene.cache, { recursive: true })],
    ['cut short', () => truncateSync(database(), 0)],
  ])('%s while a server has it open is rebuilt by the next query that meets it', async (_, damage) => {
    for (let index = 0; index < 300; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = good;\n`);
    const analysis = open();
    await analysis.ask('index_code');
    damage();
    scene.write('good.ts', 'export const good = 2;\nexport const use = good;\n');
    expect(await analysis.ask('get_symbol_references', { name: 'good' })).toMatchObject({
      total_definitions: 1,
      total_references: 301,
    });
  });
});

test('two servers on one worktree and one cache give the same answers', async () => {
  for (let index = 0; index < 200; index += 1) scene.write(`many/n${index}.ts`, `export const n${index} = good;\n`);
  const [one, two] = await Promise.all([connect(scene.root, scene.cache), connect(scene.root, scene.cache)]);
  try {
    const ask = { name: 'good', max_results: 1_000 };
    const [a, b] = await Promise.all([one.ask('get_symbol_references', ask), two.ask('get_symbol_references', ask)]);
    expect(a['total_references']).toBe(201);
    expect(b).toEqual(a);
    scene.write('many/n0.ts', 'export const n0 = 1;\n');
    const [c, d] = await Promise.all([one.ask('get_symbol_references', ask), two.ask('get_symbol_references', ask)]);
    expect(c['total_references']).toBe(200);
    expect(d).toEqual(c);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('a server that is killed during indexing leaves a cache that the next one uses', async () => {
  manyFiles(1_200);
  const first = await connect(scene.root, scene.cache);
  const indexing = first.client.callTool({ name: 'index_code', arguments: {} }, undefined, {
    onprogress: ({ progress }) => {
      if (progress > 0) process.kill(first.processId, 'SIGKILL');
    },
  });
  await expect(indexing).rejects.toThrow('Connection closed');
  const second = await connect(scene.root, scene.cache);
  try {
    expect(await second.ask('get_symbol_references', { name: 'good' })).toMatchObject({
      total_definitions: 1,
      total_references: 1_201,
    });
  } finally {
    await second.close();
  }
});

function manyFiles(count: number): void {
  for (let index = 0; index < count; index += 1)
    scene.write(`many/n${index}.ts`, `export const n${index} = good;\n${'export const filler = 1;\n'.repeat(40)}`);
}

const childrenOf = (processId: number): readonly number[] =>
  spawnSync('pgrep', ['-P', String(processId)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number);

const ALL = { name: 'good', max_results: 1_000 };

test('an indexing process that is killed is started again, and no file is lost', async () => {
  manyFiles(1_200);
  const server = await connect(scene.root, scene.cache);
  const killed: number[] = [];
  try {
    await server.client.callTool({ name: 'index_code', arguments: {} }, undefined, {
      onprogress: ({ progress }) => {
        const [child] = progress > 0 && killed.length === 0 ? childrenOf(server.processId) : [];
        if (child === undefined) return;
        killed.push(child);
        process.kill(child, 'SIGKILL');
      },
    });
    expect(killed.length).toBe(1);
    expect((await server.ask('get_symbol_references', ALL))['total_references']).toBe(1_201);
  } finally {
    await server.close();
  }
});

test('no process outlives a server that is killed during indexing', async () => {
  manyFiles(1_200);
  const server = await connect(scene.root, scene.cache);
  let children: readonly number[] = [];
  const indexing = server.client.callTool({ name: 'index_code', arguments: {} }, undefined, {
    onprogress: ({ progress }) => {
      if (progress === 0 || children.length > 0) return;
      children = childrenOf(server.processId);
      process.kill(server.processId, 'SIGKILL');
    },
  });
  await expect(indexing).rejects.toThrow('Connection closed');
  expect(children.length).toBeGreaterThan(0);
  await expect.poll(() => children.filter(isAlive)).toEqual([]);
});

test('of two servers on one cache, the one that is killed during indexing does the other no harm', async () => {
  manyFiles(1_200);
  const [one, two] = await Promise.all([connect(scene.root, scene.cache), connect(scene.root, scene.cache)]);
  try {
    const indexing = one.client.callTool({ name: 'index_code', arguments: {} }, undefined, {
      onprogress: ({ progress }) => {
        if (progress > 0) process.kill(one.processId, 'SIGKILL');
      },
    });
    const [killed, answer] = await Promise.allSettled([indexing, two.ask('get_symbol_references', ALL)]);
    expect(killed.status).toBe('rejected');
    expect(answer).toMatchObject({ status: 'fulfilled', value: { total_references: 1_201 } });
  } finally {
    await two.close();
  }
});

test('a parser that dies costs one file, not the index', async () => {
  scene.write('deadly.ts', 'export const deadly = 1;\n');
  const { createIndexerClient } = await import('../../../src/roberto-mcp/index/indexer-client.ts');
  const { openDatabase } = await import('../../../src/roberto-mcp/store/open-database.ts');
  const indexer = pathToFileURL(join(scene.folder, 'indexer.mjs'));
  writeFileSync(
    indexer,
    `process.on('message', ({ id, paths }) => {
       if (paths.includes('deadly.ts')) process.exit(9);
       const stamp = { size: 1, mtimeMs: 1, ctimeMs: 1, inode: 1 };
       process.send({ kind: 'files', id, generation: 'g', files: paths.map((path) => ({ path, stamp, blob: 1, skipped: null, racy: false })) });
       process.send({ kind: 'done', id });
     });
     process.on('disconnect', () => process.exit(0));`,
  );
  const { database: path } = cachePlace(scene.cache, scene.root);
  openDatabase(path).database.close();
  const client = createIndexerClient({ indexer, parserThread: indexer });
  const taken: string[] = [];
  await client.index({
    root: scene.root,
    database: path,
    generation: 'g',
    paths: ['a.ts', 'deadly.ts', 'good.ts', 'z.ts'],
    force: false,
    take: (files) => taken.push(...files.map(({ path: one, skipped }) => `${one} ${skipped ?? 'indexed'}`)),
  });
  client.stop();
  expect(taken.sort()).toEqual(['a.ts indexed', 'deadly.ts failed', 'good.ts indexed', 'z.ts indexed']);
});

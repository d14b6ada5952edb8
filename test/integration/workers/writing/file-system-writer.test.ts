import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { saysThen } from '../../../support/says-then.ts';
import { newFolder, removeFolder } from '../../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

/** Runs the writer on these segments, with real files. */
async function writing(append: readonly SegmentDraft[], write: object = {}) {
  const events: RoboSmithEvent[] = [];
  const block = { access: { mode: 'shared' }, ...write };
  const given = { append, name: 'Write', worker: 'Internal:FileSystemWriter', block };
  const response = await saysThen(given, { directory: folder, onEvent: (event) => events.push(event) });
  const finished = events.findLast((event) => event.type === 'block.finished');
  return {
    response,
    signal: response.path.at(-1)?.signal,
    stats: finished?.type === 'block.finished' ? finished.stats : null,
  };
}

const read = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');
const code = (content: string, meta = {}): SegmentDraft => ({ type: 'CODE_OUTPUT', content, meta });

describe('Internal:FileSystemWriter', () => {
  test.each(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT'])('writes %s segments to files, folders and all', async (type) => {
    verifies('workers.file-system-writer.writes');
    const content = 'Here you are:\n```ts path=src/deep/a.ts\nconst a = 1;\n```\nSIGNAL:SUCCESS';
    expect((await writing([{ type, content }])).signal).toBe('SIGNAL:SUCCESS');
    expect(await read('src/deep/a.ts')).toBe('const a = 1;\n');
  });

  test.each(['@src/a.ts', '@/a.ts'])('refuses %s where that is an alias of imports', async (name) => {
    await mkdir(path.join(folder, 'src'));
    await writeFile(path.join(folder, 'src', 'old.ts'), '');
    const { signal, response } = await writing([code(`\`\`\`ts path=${name}\nx\n\`\`\``)]);
    expect(signal).toBe('SIGNAL:FAILURE');
    expect(response.data.payload.at(-1)?.content).toContain('is an import alias');
    expect(await readdir(folder)).toEqual(['src']);
  });

  test.each(['@types/a.ts', '@src/a.ts'])('writes %s where no folder bears the name without "@"', async (name) => {
    expect((await writing([code(`\`\`\`ts path=${name}\nx\n\`\`\``)])).signal).toBe('SIGNAL:SUCCESS');
    expect(await read(name)).toBe('x\n');
  });

  test('leaves other segments alone, and takes the newest answer', async () => {
    verifies('workers.file-system-writer.writes');
    const { signal, response } = await writing([
      code('```ts a.ts\nold\n```'),
      code('```ts a.ts\nnew\n```'),
      { type: 'NOTE', content: '```ts b.ts\nnote\n```' },
    ]);
    expect(signal).toBe('SIGNAL:SUCCESS');
    expect(await readdir(folder)).toEqual(['a.ts']);
    expect(await read('a.ts')).toBe('new\n');
    expect(response.data.payload.at(-1)).toMatchObject({ type: 'FILES_WRITTEN', content: 'a.ts' });
  });

  test.each<[string, SegmentDraft, object, Record<string, string>]>([
    ['the info string', code('Sure!\n```ts src/a.ts\nx\n```\nBye.'), {}, { 'src/a.ts': 'x\n' }],
    ['the metadata', code('Sure!\n```ts\nx\n```\nBye.', { path: 'src/b.ts' }), {}, { 'src/b.ts': 'x\n' }],
    ['the one file of the block', code('```\nx\n```'), { artifact: 'src/c.ts' }, { 'src/c.ts': 'x\n' }],
    [
      'several info strings',
      code('First\n```ts src/a.ts\na\n```\nthen\n```md path="doc/b c.md"\nb\n```\n'),
      {},
      { 'src/a.ts': 'a\n', 'doc/b c.md': 'b\n' },
    ],
  ])('takes the code out of the talk around it, and the path from %s', async (_from, said, write, files) => {
    verifies('workers.file-system-writer.extracts');
    expect((await writing([said], write)).signal).toBe('SIGNAL:SUCCESS');
    for (const [name, content] of Object.entries(files)) expect(await read(name)).toBe(content);
  });

  test('without a file in the answer it is FAILURE, which says what was missing', async () => {
    verifies('workers.file-system-writer.extracts');
    const { signal, response } = await writing([code('I could not do it.')]);
    expect(signal).toBe('SIGNAL:FAILURE');
    expect(response.data.payload.at(-1)?.type).toBe('WRITE_ERROR');
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['\r\n', '\n', '\r\n'],
    ['\r\n', '\r\n', '\r\n'],
    ['\n', '\r\n', '\n'],
    ['\n', '\n', '\n'],
  ])('a file with %j, an answer with %j: line ends stay what they were', async (old, said, expected) => {
    const text = (end: string, last: string): string => ['one', 'two', last, ''].join(end);
    await writeFile(path.join(folder, 'a.txt'), text(old, 'three'));
    const answer = JSON.stringify({ path: 'a.txt', content: text(said, 'four') });
    expect((await writing([code(answer)], { params: { rewrite: true } })).signal).toBe('SIGNAL:SUCCESS');
    expect(await read('a.txt')).toBe(text(expected, 'four'));
  });

  test.each(['\n', '\r\n'])('a file without a last line ending keeps none, with %j', async (end) => {
    await writeFile(path.join(folder, 'a.txt'), `one${end}two${end}three`);
    const { signal } = await writing([code('```txt path=a.txt\none\ntwo\nfour\n```')], { params: { rewrite: true } });
    expect(signal).toBe('SIGNAL:SUCCESS');
    expect(await read('a.txt')).toBe(`one${end}two${end}four`);
  });

  test('the report names the paths that the answer mentions and does not write', async () => {
    const { signal, response } = await writing([code('Delete `src/old.ts`.\n\n**a.ts**\n```ts\nx\n```')]);
    expect(signal).toBe('SIGNAL:SUCCESS');
    expect(response.data.payload.at(-1)).toMatchObject({
      content: 'a.ts\nNamed in the answer, but neither written nor deleted: src/old.ts',
      meta: { named: ['src/old.ts'] },
    });
  });

  test('counts files and lines', async () => {
    verifies('workers.file-system-writer.stats');
    const { stats } = await writing([code('```ts a.ts\n1\n2\n3\n```\n```ts b.ts\n1\n```')]);
    expect(stats).toMatchObject({ filesWritten: 2, linesWritten: 4 });
  });
});

const file = (name: string, content = 'new'): string => `\`\`\`ts path="${name}"\n${content}\n\`\`\`\n`;

/** Returns which files were refused and why. The writer must signal FAILURE and change nothing. */
async function refusing(names: readonly string[], write: object = {}) {
  const before = await readdir(folder, { recursive: true });
  const { signal, response } = await writing([code(names.map((name) => file(name)).join(''))], write);
  expect(signal).toBe('SIGNAL:FAILURE');
  expect(await readdir(folder, { recursive: true })).toEqual(before);
  const { type, content, meta } = response.data.payload.at(-1)!;
  expect(type).toBe('WRITE_ERROR');
  const refused = (meta['refused'] ?? []) as readonly { readonly path: string; readonly reason: string }[];
  for (const one of refused)
    expect(content).toContain(`"${one.path}" was rejected, so nothing was written: ${one.reason}`);
  return { content, refused: refused.map(({ path: name, reason }) => [name, reason]) };
}

test.each([
  ['leaves the folder', '../b.ts', 'it leads out of its root folder'],
  ['is below a file', 'a.ts/b.ts', 'a file has the name of its folder'],
  ['is a folder', 'src', 'it is a folder'],
  ['is there twice', './b.ts', 'it is the same file as "b.ts"'],
])('all files or none: when one %s, the others are as they were, and the model is told', async (_why, name, reason) => {
  verifies('workers.file-system-writer.all-or-none');
  await writeFile(path.join(folder, 'a.ts'), 'old');
  await mkdir(path.join(folder, 'src'));
  const names = ['a.ts', 'b.ts', name].slice(name.startsWith('a') ? 1 : 0);
  expect((await refusing(names, { params: { rewrite: true } })).refused).toEqual([[name, reason]]);
  expect(await read('a.ts')).toBe('old');
});

describe('access', () => {
  test('strict: nothing is written', async () => {
    verifies('workers.access.modes');
    const { content } = await refusing(['a.ts'], { access: { mode: 'strict', paths: ['a.ts'] } });
    expect(content).toBe('Main__Write may not write any file: its "access" has the mode "strict"');
  });

  test.each([{ access: undefined }, { access: { mode: 'partial' } }, { access: { mode: 'partial', paths: [] } }])(
    'partial without any path (%j): nothing is written, and the key to add is named',
    async (write) => {
      verifies('workers.access.modes');
      expect((await refusing(['a.ts'], write)).content).toMatch(
        /^Main__Write may not write any file: add "artifact" to the block/,
      );
    },
  );

  test.each<[string, object, readonly string[], readonly string[]]>([
    ['a path', { paths: ['src/a.ts'] }, ['src/a.ts', './src//a.ts'], ['src/b.ts', 'a.ts', 'src/a.ts.bak']],
    ['a folder', { paths: ['src/**'] }, ['src/a.ts', 'src/x/y/z.ts'], ['srcs/a.ts', 'lib/src/a.ts', 'SRC/b.ts']],
    ['endings', { paths: ['**/*.{ts,md}'] }, ['a.ts', 'x/y/b.md'], ['a.js', 'x/ts']],
    ['several', { paths: ['./docs/*.md', 'a.ts'] }, ['docs/a.md', 'a.ts'], ['docs/x/a.md']],
    ['a name with brackets', { paths: ['app/[id]/page.ts'] }, ['app/[id]/page.ts'], ['app/x/page.ts']],
    ['no negation', { paths: ['!src/**'] }, [], ['a.ts']],
  ])('partial, %s', async (_what, access, allowed, refused) => {
    verifies('workers.access.modes');
    const write = { access: { mode: 'partial', ...access } };
    for (const name of refused)
      expect((await refusing([...allowed.slice(0, 1), name], write)).refused.map(([one]) => one)).toEqual([name]);
    for (const name of allowed) expect((await writing([code(file(name))], write)).signal).toBe('SIGNAL:SUCCESS');
  });

  test("partial by default, with the block's artifact", async () => {
    verifies('workers.access.modes');
    const write = { access: undefined, artifact: ['src/*.ts'] };
    expect((await refusing(['b.ts'], write)).refused).toEqual([
      ['b.ts', 'it is not among the block\'s "access" paths: src/*.ts'],
    ]);
    expect((await writing([code(file('src/a.ts'))], write)).signal).toBe('SIGNAL:SUCCESS');
  });

  test.each([
    ...['.git/config', '.GIT/hooks/pre-commit', 'x/.git', 'GIT~1/config'],
    ...['.flow/flow.registry.json', '.Flow/x', '.vision/workflows.json', '.vision/logs/x'],
  ])("%s is nobody's to write", async (name) => {
    verifies('workers.access.modes');
    const [[refused, reason] = []] = (await refusing(['a.ts', name], { access: { mode: 'shared' } })).refused;
    expect(refused).toBe(name);
    expect(reason).toMatch(/^workers must never write to /);
  });

  const CONFIGURATIONS = [
    ...[
      '.claude/settings.json',
      '.mcp.json',
      '.codex/config.toml',
      '.Gemini/settings.json',
      'AGENTS.md',
      'sub/CLAUDE.md',
    ],
    ...['.envrc', '.npmrc', '.vscode/tasks.json', '.husky/pre-commit', '.github/workflows/x.yml', '.gitattributes'],
    ...['.gitmodules', '.robo/session.json', '.cargo/config.toml', 'my.code-workspace'],
    ...['.env', '.anything', 'src/.new-tool/config.toml', 'mise.local.toml', 'lefthook.toml', 'azure-pipelines.yaml'],
    ...['pnpm-workspace.yaml', 'AGENT.md', 'buildspec.yml'],
  ];

  test.each(CONFIGURATIONS)(
    '%s can configure other programs: it is written where the access names it, and only there',
    async (name) => {
      verifies('workers.access.modes');
      const wide = [{ mode: 'shared' }, { mode: 'shared', paths: ['**'] }, { mode: 'partial', paths: ['**', '.*/**'] }];
      for (const access of wide) {
        const { refused } = await refusing(['a.ts', name], { access });
        expect(refused).toEqual([[name, expect.stringContaining('can configure other programs')]]);
      }
      expect((await writing([code(file(name))], { access: { mode: 'partial', paths: [name] } })).signal).toBe(
        'SIGNAL:SUCCESS',
      );
    },
  );

  test('a glob names a folder of configuration by its name', async () => {
    const access = { mode: 'partial', paths: ['.github/**', 'src/**'] };
    expect((await writing([code(file('.github/workflows/x.yml'))], { access })).signal).toBe('SIGNAL:SUCCESS');
    expect((await refusing(['src/.vscode/tasks.json'], { access })).refused).toHaveLength(1);
    // The access must name each protected part of the path.
    expect((await refusing(['.github/AGENTS.md'], { access })).refused).toHaveLength(1);
  });

  test('names like those are ordinary', async () => {
    const names = ['mcp.ts', 'agents/a.ts', 'github/x.yml', 'flow/x', 'vision.md', 'docs/reference/agents.mdx'];
    expect((await writing([code(names.map((name) => file(name)).join(''))])).signal).toBe('SIGNAL:SUCCESS');
  });

  test.skipIf(process.platform === 'win32')('counts where links lead', async () => {
    verifies('workers.access.modes');
    await mkdir(path.join(folder, '.git'));
    await mkdir(path.join(folder, 'docs'));
    await mkdir(path.join(folder, 'src'));
    await symlink('../.git', path.join(folder, 'src/git'));
    await symlink('../docs', path.join(folder, 'src/docs'));
    const write = { access: { mode: 'partial', paths: ['src/**'] } };
    expect((await refusing(['src/git/config', 'src/docs/a.md'], write)).refused).toEqual([
      ['src/git/config', 'workers must never write to ".git"'],
      ['src/docs/a.md', 'it is not among the block\'s "access" paths: src/**'],
    ]);
  });
});

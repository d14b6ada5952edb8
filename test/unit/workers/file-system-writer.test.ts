import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import { newFolder, removeFolder } from './in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const manifest = (write: object) =>
  ({
    version: 1,
    workers: { 'Worker:Says': { kind: 'ai', provider: 'openai', model: 'm' } },
    nodes: {
      Main: {
        entry_block: 'Say',
        blocks: {
          Say: { worker: 'Worker:Says', transitions: [row('SUCCESS', 'JUMP:Write')] },
          Write: { worker: 'Internal:FileSystemWriter', ...write },
        },
      },
    },
  }) as WorkflowManifest;

/** What the writer makes of an answer, with real files. */
async function writing(append: readonly SegmentDraft[], write: object = {}) {
  const events: RoboSmithEvent[] = [];
  const says = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append }) } as const;
  const response = await new Orchestrator(manifest(write), {
    directory: folder,
    workers: { 'Worker:Says': says },
    onEvent: (event) => events.push(event),
  }).execute('Main');
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

  test('counts files and lines', async () => {
    verifies('workers.file-system-writer.stats');
    const { stats } = await writing([code('```ts a.ts\n1\n2\n3\n```\n```ts b.ts\n1\n```')]);
    expect(stats).toMatchObject({ filesWritten: 2, linesWritten: 4 });
  });
});

test.each([
  ['leaves the folder', '../b.ts'],
  ['is below a file', 'a.ts/b.ts'],
])('all files or none: when one %s, the other is as it was', async (_why, second) => {
  await writeFile(path.join(folder, 'a.ts'), 'old');
  const { signal } = await writing([code(`\`\`\`ts path=a.ts\nnew\n\`\`\`\n\`\`\`ts path=${second}\nx\n\`\`\``)]);
  expect(signal).not.toBe('SIGNAL:SUCCESS');
  expect(await read('a.ts')).toBe('old');
  expect((await readdir(folder)).sort()).toEqual(['a.ts']);
});

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realPorts } from '#engine/index.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { ChangePlan } from '#protocol/services.ts';
import { Orchestrator, type WorkflowManifest } from '../../../src/index.ts';
import { saysThen } from '../../support/says-then.ts';
import { verifies } from '../../e2e/verifies.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

async function planning(contents: readonly string[], changePlan?: ChangePlan) {
  const append: readonly SegmentDraft[] = contents.map((content) => ({ type: 'NEW_FILES_IDENTIFIED', content }));
  const ports = { ...realPorts(folder), ...(changePlan === undefined ? {} : { changePlan }) };
  const response = await saysThen({ append, name: 'Plan', worker: 'Internal:UpdateChangePlan' }, { ports });
  return {
    signal: response.path.at(-1)?.signal,
    last: response.data.payload.at(-1),
    files: response.data.exports['plan.new_files'],
  };
}

test.each<[string, readonly string[], readonly string[]]>([
  ['a list as JSON', ['["src/b.ts", "src/a.ts"]'], ['src/a.ts', 'src/b.ts']],
  ['an object with files', ['{"files": [{"path": "src/a.ts", "why": "new"}]}'], ['src/a.ts']],
  ['a fence', ['I need these:\n```json\n["a.ts"]\n```\nSIGNAL:SUCCESS'], ['a.ts']],
  ['bullets', ['- `src/a.ts` (new)\n* src/b.ts\n3. src\\c.ts\n\nSIGNAL:SUCCESS'], ['src/a.ts', 'src/b.ts', 'src/c.ts']],
  ['bullets with reasons', ['- src/a.ts - the helper\n- src/b.ts'], ['src/a.ts', 'src/b.ts']],
  [
    'words after a colon',
    ['- `src/a.ts`: helper\n- src/b.ts: other\n1. **src/c.ts** — third'],
    ['src/a.ts', 'src/b.ts', 'src/c.ts'],
  ],
  ['JSON over several lines', ['{\n  "new_files": [\n    "src/a.ts"\n  ]\n}'], ['src/a.ts']],
  ['quoted names with blanks', ['`src/My File.ts`\n- [ ] src/b.ts'], ['src/My File.ts', 'src/b.ts']],
  ['headings', ['# New files\nThese are needed:\nDockerfile\nbin/run'], ['Dockerfile', 'bin/run']],
  ['nothing beside a file', ['- src/a.ts\n- None'], ['src/a.ts']],
  ['several segments', ['a.ts', './a.ts\nb.ts'], ['a.ts', 'b.ts']],
])('takes %s', async (_what, contents, files) => {
  const planned = await planning(contents);
  expect([planned.signal, planned.files]).toEqual(['SIGNAL:SUCCESS', files]);
  expect(planned.last).toMatchObject({ type: 'CHANGE_PLAN_UPDATED', meta: { files, session: false } });
});

test('of a session it adds them to the change plan', async () => {
  const added: (readonly string[])[] = [];
  const add = (paths: readonly string[]): Promise<void> => {
    added.push(paths);
    return Promise.resolve();
  };
  const { last } = await planning(['b.ts\na.ts'], { add, written: () => [] });
  expect(added).toEqual([['a.ts', 'b.ts']]);
  expect(last?.meta).toEqual({ files: ['a.ts', 'b.ts'], session: true });
});

test.each([
  ['src/a.ts\nsrc/My File.ts', 'src/My File.ts'],
  ['src/a.ts\n| `src/b.ts` | x |', '| `src/b.ts` | x |'],
  ['- src/a.ts\n- the helper', '- the helper'],
  ['`a.ts`, `b.ts`', '`a.ts`, `b.ts`'],
  ['src/My File.ts:\nsrc/b.ts', 'src/My File.ts:'],
  ['- src/b.ts\n```json\n["a.ts"]\n```', '- src/b.ts'],
])('%j is refused whole, and the line is named', async (content, line) => {
  const { signal, last, files } = await planning([content]);
  expect([signal, files]).toEqual(['SIGNAL:FAILURE', undefined]);
  expect(last?.content).toContain(JSON.stringify(line));
});

test.each([
  ['no segment', [], 'no_files'],
  ['no path', ['Nothing is needed here.'], 'no_files'],
  ['the word for it', ['None'], 'no_files'],
  ['two sentences that say none', ['No new files are needed.\nNone.'], 'no_files'],
  ['an empty list', ['[]'], 'no_files'],
  ['JSON that is cut off', ['{\n  "new_files": [\n    "src/a.ts",'], 'no_files'],
  ['JSON of another kind', ['{"src/a.ts": "why"}'], 'no_files'],
  ['several fences', ['```json\n["a.ts"]\n```\nand\n```json\n["b.ts"]\n```'], 'no_files'],
  ['a fence that never ends', ['```\na.ts'], 'no_files'],
  ['a way out', ['a.ts\n../b.ts'], 'unsafe_path'],
])('refuses %s', async (_what, contents, code) => {
  const { signal, last, files } = await planning(contents);
  expect([signal, last?.meta['code'], files]).toEqual(['SIGNAL:FAILURE', code, undefined]);
});

describe('the plan is a part of what a block may write', () => {
  const row = (block: string) => [{ on_signal: 'SIGNAL:SUCCESS', action: `JUMP:${block}` }];

  /** Plans `src/[a].ts`, then writes these files; returns the signal and the existing files. */
  async function writing(names: readonly string[], write: object) {
    const append = [
      { type: 'NEW_FILES_IDENTIFIED', content: '["src/[a].ts"]' },
      { type: 'CODE_OUTPUT', content: names.map((name) => `\`\`\`ts path="${name}"\nx\n\`\`\`\n`).join('') },
    ];
    const says = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append }) } as const;
    const manifest: WorkflowManifest = {
      version: 1,
      workers: { 'Worker:Says': { kind: 'ai', provider: 'openai', model: 'm' } },
      nodes: {
        Main: {
          entry_block: 'Say',
          blocks: {
            Say: { worker: 'Worker:Says', transitions: row('Plan') },
            Plan: { worker: 'Internal:UpdateChangePlan', transitions: row('Write') },
            Write: { worker: 'Internal:FileSystemWriter', ...write },
          },
        },
      },
    };
    const run = new Orchestrator(manifest, { ports: realPorts(folder), workers: { 'Worker:Says': says } });
    const { path: steps } = await run.execute('Main');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return [steps.at(-1)?.signal, files.map((file) => path.relative(folder, file).replaceAll('\\', '/')).sort()];
  }

  test.each<[string, object, readonly string[], string]>([
    ['nothing else', {}, ['src/[a].ts'], 'SUCCESS'],
    ['its artifact', { artifact: 'b.ts' }, ['b.ts', 'src/[a].ts'], 'SUCCESS'],
    ['no more than these', { artifact: 'b.ts' }, ['src/a.ts'], 'FAILURE'],
    ['only what it lists itself', { access: { mode: 'partial', paths: ['b.ts'] } }, ['src/[a].ts'], 'FAILURE'],
    ['nothing at all', { access: { mode: 'strict' } }, ['src/[a].ts'], 'FAILURE'],
  ])('beside %s', async (_what, write, names, signal) => {
    verifies('workers.access.modes');
    expect(await writing(names, write)).toEqual([`SIGNAL:${signal}`, signal === 'SUCCESS' ? names : []]);
  });
});

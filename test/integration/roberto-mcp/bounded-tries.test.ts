import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runTool } from '../../../src/roberto-mcp/tools/run-tool.ts';
import type { Tool, ToolContext } from '../../../src/roberto-mcp/tools/tool.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const STAMP = { size: 1, mtimeMs: 1, ctimeMs: 1, inode: 1 };

/** A tool context whose index has the file `a` in a state that the file on disk never has. */
const context = (done: string[]): ToolContext =>
  ({
    worktree: {
      root: folder,
      files: new Map([['a', { racy: false, stamp: STAMP }]]),
      freshen: () => Promise.resolve(),
      onProgress: () => () => undefined,
      doubt: (paths: readonly string[]) => done.push(`doubt ${paths.join()}`),
      rebuild: () => Promise.resolve(done.push('rebuild')),
    },
    signal: new AbortController().signal,
    report: () => undefined,
  }) as unknown as ToolContext;

const tool = (run: Tool['run']): Tool => ({ name: 't', title: 't', description: 't', input: {}, run });

test('an answer about a file that changes all the time is tried four times, and given', async () => {
  writeFileSync(path.join(folder, 'a'), 'text');
  const done: string[] = [];
  const answers = tool(() => ({ data: {}, text: String(done.push('run')), paths: ['a'] }));
  expect((await runTool(answers, {}, context(done))).text).toBe('7');
  expect(done).toEqual(['run', 'doubt a', 'run', 'doubt a', 'run', 'doubt a', 'run']);
});

test('an index that is damaged each time is built again three times, then the call fails', async () => {
  const done: string[] = [];
  const damage = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
  const fails = tool(() => Promise.reject(damage));
  await expect(runTool(fails, {}, context(done))).rejects.toBe(damage);
  expect(done).toEqual(['rebuild', 'rebuild', 'rebuild']);
});

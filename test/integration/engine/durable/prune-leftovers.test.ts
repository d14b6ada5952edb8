import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import { prunePlan } from '#engine/durable/project.ts';
import { removeLeftover } from '#engine/durable/prune-leftovers.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';

let root = '';
let engine: Engine;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-leftovers-'));
  const opened = openEngine(root, { warn: (message) => expect.unreachable(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  ({ engine } = opened);
});
afterEach(() => {
  engine.close();
  rmSync(root, { recursive: true });
});

const flow = (...names: readonly string[]): string => path.join(root, '.flow', ...names);
const DAY = 86_400_000;

function keepTalk(name: string, conversation: string): void {
  mkdirSync(flow('agents'), { recursive: true });
  writeFileSync(flow('agents', name), JSON.stringify({ conversation }));
}

function keepPutBack(name: string, at: number): void {
  mkdirSync(flow('put-back', name, 'src'), { recursive: true });
  writeFileSync(flow('put-back', name, 'src', 'a.ts'), 'x');
  utimesSync(flow('put-back', name), at / 1000, at / 1000);
}

const finished = async (): Promise<string> => {
  const run = engine.start(oneBlock(), ONE_BLOCK, root);
  await run.settled();
  return run.id;
};

test('conversations with agents go with their runs, and those of runs that had gone before', async () => {
  const [old, young] = [await finished(), await finished()];
  keepTalk('old.json', `${old}#Main__Say`);
  keepTalk('young.json', `${young}/Main#Main__Say`);
  keepTalk('orphan.json', 'r000000000000#Main__Say');
  writeFileSync(flow('agents', 'damaged.json'), '{');
  expect(prunePlan(root, { keep: 1 })).toMatchObject({ runs: [old], leftovers: 2 });
  expect(readdirSync(flow('agents'))).toHaveLength(4);
  expect(engine.prune({ keep: 1 })).toMatchObject({ runs: [old], leftovers: 2 });
  expect(readdirSync(flow('agents')).sort()).toEqual(['damaged.json', 'young.json']);
});

test('what was put back goes when it is older than what is kept, and than every run that stays; no link is followed', async () => {
  const now = Date.now();
  mkdirSync(path.join(root, 'mine'));
  writeFileSync(path.join(root, 'mine', 'file'), 'mine');
  for (const [name, age] of [
    ['old', 40 * DAY],
    ['young', 2 * DAY],
  ] as const)
    keepPutBack(name, now - age);
  symlinkSync(path.join(root, 'mine'), flow('put-back', 'old', 'src', 'link'), 'junction');
  utimesSync(flow('put-back', 'old'), (now - 40 * DAY) / 1000, (now - 40 * DAY) / 1000);
  expect(engine.prune({ before: now - 30 * DAY })).toMatchObject({ runs: [], leftovers: 1 });
  expect(readdirSync(flow('put-back'))).toEqual(['young']);
  expect(existsSync(path.join(root, 'mine', 'file'))).toBe(true);
  await finished();
  keepPutBack('newest', now + DAY);
  expect(engine.prune({ keep: 1 })).toMatchObject({ runs: [], leftovers: 1 });
  expect(readdirSync(flow('put-back'))).toEqual(['newest']);
});

test('a link that can not be removed is an error, and what it leads to stays', () => {
  mkdirSync(path.join(root, 'mine'));
  writeFileSync(path.join(root, 'mine', 'a.txt'), 'mine');
  const link = flow('put-back');
  symlinkSync(path.join(root, 'mine'), link);
  // Makes the removal of the link fail, as in a folder without write permission.
  const denied = Object.assign(new Error('denied'), { code: 'EACCES' });
  const remove = (file: string): void => {
    if (file === link) throw denied;
    fileCalls.remove(file);
  };
  expect(() => removeLeftover({ ...fileCalls, remove }, link)).toThrow(denied);
  expect(existsSync(path.join(root, 'mine', 'a.txt'))).toBe(true);
});

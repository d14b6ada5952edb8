import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import { projectRuns } from '#engine/durable/project.ts';
import type { RunId } from '#protocol/id.ts';
import { hex } from '../../../../src/actors/journal/checksum.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';

let root = '';
let engine: Engine;
let run: RunId;
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-strange-'));
  const opened = openEngine(root, { warn: (message) => expect.unreachable(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  ({ engine } = opened);
  const started = engine.start(oneBlock(), ONE_BLOCK, root);
  await started.settled();
  run = started.id;
});
afterEach(() => {
  engine.close();
  rmSync(root, { recursive: true });
});

const inFlow = (...parts: readonly string[]): string => path.join(root, '.flow', ...parts);
const STRANGE = 'rabc';

/** Returns a journal line or a checkpoint with a valid checksum, which any program can compute. */
const sealed = (body: string, before?: number): string => `${body},"crc":"${hex(crc32(body, before))}"}\n`;

function write(text: string, ...parts: readonly string[]): void {
  mkdirSync(path.dirname(inFlow(...parts)), { recursive: true });
  writeFileSync(inFlow(...parts), text);
}

const first = (body: string): string => sealed(body, crc32(STRANGE));

test.each([
  ['a directory', () => void mkdirSync(inFlow('runs', STRANGE, 'journal.jsonl'), { recursive: true })],
  ['no JSON', () => write(first('{"n":1,"type":,"s":0'), 'runs', STRANGE, 'journal.jsonl')],
  ['not what was written here', () => write(first('{"n":1,"type":"run","s":0'), 'runs', STRANGE, 'journal.jsonl')],
])('a run whose journal is %s is listed as damaged, and holds up no other', (_, make) => {
  verifies('engine.journal.torn-line');
  make();
  expect(projectRuns(root).map((one) => [one.kind, one.run])).toEqual([
    ['run', run],
    ['damaged', STRANGE],
  ]);
  expect(engine.prune({ keep: 0 }).runs).toEqual([run]);
  expect(existsSync(inFlow('runs', STRANGE))).toBe(true);
});

test.each([
  ['no JSON', (): string => '{"version":1,,"id":"x"'],
  ['without what it counts', (): string => `{"version":1,"id":"${run}"`],
  [
    'without what it tells',
    (): string => {
      const bytes = statSync(inFlow('runs', run, 'journal.jsonl')).size;
      return `{"version":1,"id":"${run}","journal":{"lines":1,"bytes":${bytes}},"summary":{}`;
    },
  ],
])('a checkpoint that is %s is none: the journal knows better', (_, body) => {
  write(sealed(body()), 'runs', run, `flow_state_${run}.json`);
  expect(projectRuns(root)).toMatchObject([{ kind: 'run', run, summary: { status: 'completed' } }]);
  expect(engine.prune({ keep: 0 }).runs).toEqual([run]);
});

test('folders among the blobs stay, and those of a run go with it', () => {
  write('mine', 'blobs', 'mine', 'file');
  write('its own', 'runs', run, 'more', 'file');
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [run], blobs: 1 });
  expect(existsSync(inFlow('blobs', 'mine', 'file'))).toBe(true);
  expect(existsSync(inFlow('runs', run))).toBe(false);
});

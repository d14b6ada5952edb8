import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { RunId } from '#protocol/id.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-closed-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function open(project: string): Engine {
  const opened = openEngine(path.join(root, project), { warn: () => undefined });
  if (!opened.ok) throw new Error('somebody else has the engine');
  return opened.engine;
}

const journalOf = (project: string, run: RunId): string =>
  readFileSync(path.join(root, project, '.flow/runs', run, 'journal.jsonl'), 'utf8');

/** The operating system reuses the descriptor of a closed file for the next one that is opened. */
test('what a run still had to say when its engine was closed goes into no other file', async () => {
  const first = open('one');
  const cut = first.start(oneBlock(), ONE_BLOCK, path.join(root, 'one'));
  first.close();
  const second = open('two');
  const whole = second.start(oneBlock(), ONE_BLOCK, path.join(root, 'two'));
  expect((await whole.settled()).success).toBe(true);
  expect((await cut.settled()).reason).toBe('state_not_saved');
  await new Promise<void>(nextTurn);
  second.close();
  expect(journalOf('one', cut.id)).toBe('');
  expect(journalOf('two', whole.id)).toMatch(new RegExp(`^{"n":1,[^}]*"run":"${whole.id}"`));
  expect(journalOf('two', whole.id)).not.toContain(cut.id);
});

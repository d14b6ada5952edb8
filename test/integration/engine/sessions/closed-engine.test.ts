import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '#engine/open/open-engine.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { SessionOrder } from '#protocol/session-api.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';

let at: Repository;
beforeEach(async () => {
  at = await newRepository();
});
afterEach(() => at.end());

const order = (title: string): SessionOrder => ({
  title,
  job: null,
  plan: [],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: true,
});

function open() {
  const warned: string[] = [];
  const opened = openEngine(at.root, { warn: (message) => void warned.push(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  return { engine: opened.engine, warned };
}
const isFree = (): boolean => {
  const opened = openEngine(at.root, { warn: () => undefined });
  if (opened.ok) opened.engine.close();
  return opened.ok;
};
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (thrown: unknown) => (RoboSmithError.is(thrown) ? thrown.code : thrown),
  );

test('who has given the engine up writes no session any more', async () => {
  const { engine } = open();
  const { api, manager } = await engine.sessions({ runStarter: null, mayStart: () => false });
  const { id } = await api.create(order('Alpha'));
  engine.close();
  const stored = readFileSync(at.at('project/.flow/sessions.json'), 'utf8');
  expect(() => manager.change(id, { title: 'Other' })).toThrow('no longer owns the engine of the project');
  expect(await codeOf(api.create(order('Beta')))).toBe('state_not_saved');
  expect([manager.get(id).title, readFileSync(at.at('project/.flow/sessions.json'), 'utf8')]).toEqual([
    'Alpha',
    stored,
  ]);
  expect(isFree()).toBe(true);
});

test('what is still done to a session when the engine is closed keeps it from the next owner', async () => {
  const { engine, warned } = open();
  const { api } = await engine.sessions({ runStarter: null, mayStart: () => false });
  const late = codeOf(api.create(order('Alpha')));
  engine.close();
  expect(warned).toEqual([expect.stringContaining('the engine lock is kept until it ends')]);
  expect(await late).toBe('state_not_saved');
  expect([isFree(), existsSync(at.at('project/.flow/sessions.json'))]).toEqual([false, false]);
});

test('so does a worker that does not hear that it is to end; its run writes nothing any more', async () => {
  const { engine } = open();
  const begun = Promise.withResolvers<undefined>();
  const letGo = Promise.withResolvers<undefined>();
  const worker = {
    sideEffects: 'none' as const,
    execute: async () => {
      begun.resolve(undefined);
      await letGo.promise;
      return { signal: 'SIGNAL:SUCCESS' };
    },
  };
  const run = engine.start(oneBlock(), { start: ONE_BLOCK.start, workers: new Map([['Worker:X', worker]]) }, at.root);
  await begun.promise;
  engine.close();
  const stored = readFileSync(at.at(`project/.flow/runs/${run.id}/journal.jsonl`), 'utf8');
  letGo.resolve(undefined);
  expect((await run.settled()).reason).toBe('state_not_saved');
  expect([readFileSync(at.at(`project/.flow/runs/${run.id}/journal.jsonl`), 'utf8'), isFree()]).toEqual([
    stored,
    false,
  ]);
});

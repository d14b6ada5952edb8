import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '#engine/open/open-engine.ts';
import { keyPlaces } from '#engine/keys/load-keys.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newRepository, type Repository } from '../../../support/git-repository.ts';

let repository: Repository;
beforeEach(async () => {
  repository = await newRepository();
});
afterEach(() => repository.end());

test('a project that is a folder of its repository plans from the top of that, where its worktrees begin', async () => {
  verifies('worktrees.clash.direct');
  const top = repository.root;
  const root = path.join(top, 'packages/app');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  const opened = openEngine(root, { warn: () => undefined, keys: keyPlaces({}) });
  if (!opened.ok) throw new Error('nobody else has this engine');
  const { api } = await opened.engine.sessions({ runStarter: null, mayStart: () => false });
  const plan = [path.join(root, 'a.txt'), 'packages/app/src', path.join(top, 'b.txt')];
  const order = { title: 'Plan', job: null, plan, base: null, attach: null, priority: null, after: [], isDraft: true };
  const made = await api.create(order);
  expect(made.plan).toEqual(['packages/app/a.txt', 'packages/app/src/', 'b.txt']);
  expect((await api.change(made.id, { plan: [path.join(root, 'src')] })).plan).toEqual(['packages/app/src/']);
  opened.engine.close();
});

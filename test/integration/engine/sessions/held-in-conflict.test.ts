import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSessionBench, type SessionBench } from './session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

test('one that is held with an update in conflict says so, and goes on saying so', async () => {
  const { sessions, repository } = bench;
  const { id, worktree } = await bench.session('Conflict');
  writeFileSync(path.join(worktree, 'a.txt'), 'ours\n');
  repository.put('a.txt', 'theirs\n');
  repository.commit('Theirs');
  const { session } = await sessions.api.update(id, { abort: false });
  const reason = { why: session.why, unmerged: { why: null } };
  expect(session.why).toContain('has left conflicts');
  expect(await sessions.api.hold(id, { release: false })).toMatchObject({ session: { state: 'held', ...reason } });
  await sessions.api.resume(id);
  await sessions.manager.idle();
  expect(bench.get(id)).toMatchObject({ state: 'ready', ...reason });
  expect(await sessions.api.update(id, { abort: true })).toMatchObject({ session: { why: null, unmerged: null } });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

interface Held {
  readonly session: object;
  readonly run: object | null;
}

/** A branch on which somebody has written the state of a session himself. */
async function heldBy(somebody: (held: Held) => object): Promise<string> {
  const { repository, sessions } = bench;
  const { id, branch } = await bench.session('Model');
  expect((await sessions.api.hold(id, { release: true })).ok).toBe(true);
  const held = JSON.parse(repository.git(['show', `${branch}:.robo/session.json`])) as Held;
  const place = repository.linkedWorktree('somebody', 'theirs');
  repository.put('.robo/session.json', JSON.stringify(somebody(held)), place);
  repository.commit('Hold', place);
  repository.git(['worktree', 'remove', place]);
  return 'theirs';
}

test.each(['--output=/tmp/robosmith-owned', 'main', 'HEAD~1', 'a'.repeat(39)])(
  'a base that is no full hash is not taken: %s',
  async (commit) => {
    verifies('worktrees.hold.committed');
    const branch = await heldBy(({ session, ...more }) => ({
      ...more,
      session: { ...session, id: 's00000009', base: { branch: 'main', commit } },
    }));
    await expect(bench.sessions.api.adopt(branch)).rejects.toMatchObject({ code: 'refused' });
  },
);

test('as it was held it is taken', async () => {
  const branch = await heldBy(({ session, ...more }) => ({ ...more, session: { ...session, id: 's00000009' } }));
  expect(await bench.sessions.api.adopt(branch)).toMatchObject({ id: 's00000009', state: 'held', branch });
});

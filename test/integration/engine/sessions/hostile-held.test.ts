import { afterEach, beforeEach, expect, test } from 'vitest';
import { answersIn, withoutAnswers } from '#engine/sessions/outcomes/held-origin.ts';
import type { HeldSession } from '#engine/sessions/outcomes/held-state.ts';
import type { JournalEntry } from '#protocol/journal.ts';
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

/** Creates a branch on which another person has manually written the state of a session. */
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

const takenUp = async (branch: string) => {
  const { api } = bench.sessions;
  return api.adopt(branch, (await api.foreign(branch)).commit);
};

test.each(['--output=/tmp/robosmith-owned', 'main', 'HEAD~1', 'a'.repeat(39)])(
  'a base that is no full hash is not taken: %s',
  async (commit) => {
    verifies('worktrees.hold.committed');
    const branch = await heldBy(({ session, ...more }) => ({
      ...more,
      session: { ...session, id: 's00000009', base: { branch: 'main', commit } },
    }));
    await expect(takenUp(branch)).rejects.toMatchObject({ code: 'refused' });
  },
);

test('as it was held it is taken', async () => {
  const branch = await heldBy(({ session, ...more }) => ({ ...more, session: { ...session, id: 's00000009' } }));
  expect(await takenUp(branch)).toMatchObject({ id: 's00000009', state: 'held', branch });
});

test('a state that this clone has held is its own, until somebody changes it', async () => {
  verifies('worktrees.hold.committed');
  const { repository, sessions } = bench;
  const { id, branch } = await bench.session('Mine');
  expect((await sessions.api.hold(id, { release: true })).ok).toBe(true);
  expect(await sessions.api.foreign(branch)).toMatchObject({ isOwn: true, title: 'Mine', answers: [], first: [] });
  expect(repository.git(['show', `${branch}:.robo/session.json`])).toMatch(/"seal": "[0-9a-f]{64}"/);
  const changed = await heldBy(({ session, ...more }) => ({ ...more, session: { ...session, title: 'Theirs' } }));
  expect(await sessions.api.foreign(changed)).toMatchObject({ isOwn: false, title: 'Theirs' });
});

test.each(['evil.sh', '.robo/evil.sh', 'x\t.robo/evil.sh', 'deep/.robo/session.json'])(
  'the seal covers the files beside the state: %j',
  async (name) => {
    const { repository, sessions } = bench;
    const { id, branch } = await bench.session('Mine');
    expect((await sessions.api.hold(id, { release: true })).ok).toBe(true);
    const place = repository.linkedWorktree('somebody', 'theirs');
    repository.git(['reset', '-q', '--hard', branch], place);
    // The state with its seal stays as this clone has written it.
    repository.put(name, 'echo evil\n', place);
    repository.commit('More', place);
    expect(repository.git(['diff', '--name-only', branch, 'theirs', '--', '.robo/session.json'])).toBe('');
    expect(await sessions.api.foreign('theirs')).toMatchObject({ isOwn: false, title: 'Mine' });
    expect(await sessions.api.foreign(branch)).toMatchObject({ isOwn: true });
  },
);

test('only the commit that was asked about is taken up', async () => {
  const branch = await heldBy(({ session, ...more }) => ({ ...more, session: { ...session, id: 's00000009' } }));
  const { commit } = await bench.sessions.api.foreign(branch);
  const place = bench.repository.linkedWorktree('again', 'moved');
  bench.repository.put('evil.sh', 'x', place);
  const moved = bench.repository.commit('More', place);
  expect(moved).not.toBe(commit);
  bench.repository.git(['worktree', 'remove', place]);
  bench.repository.git(['branch', '-f', branch, 'moved']);
  await expect(bench.sessions.api.adopt(branch, commit)).rejects.toMatchObject({ code: 'refused' });
});

test('answers that were given elsewhere do not count: a run goes on before the first of them', () => {
  const entry = (type: string, more: object = {}) => ({ type, ...more }) as unknown as JournalEntry;
  const entries = [
    ...[entry('run'), entry('path'), entry('halt', { halt: 'h1', block: 'Main__Gate' })],
    ...[entry('answer', { halt: 'h1', answer: { verb: 'proceed' } }), entry('path'), entry('end')],
  ];
  const held = { session: { isDone: true }, run: { run: 'r', entries, blobs: {} } } as unknown as HeldSession;
  expect(answersIn(held.run)).toEqual([{ block: 'Main__Gate', verb: 'proceed' }]);
  const here = withoutAnswers(held);
  expect(here.session.isDone).toBe(false);
  expect(here.run?.entries.map(({ type }) => type)).toEqual(['run', 'path', 'halt']);
  expect(withoutAnswers(here)).toEqual(here);
});

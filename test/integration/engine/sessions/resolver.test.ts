import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDetails } from '#engine/index.ts';
import { resolverInput } from '#engine/sessions/outcomes/resolver-input.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { NodeId, SessionId } from '#protocol/id.ts';
import type { Resolver } from '#protocol/session-api.ts';
import type { Session } from '#protocol/session.ts';
import { realGit } from '../../../support/git-repository.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';
import { hand } from './session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

type Conflicting = Session & { readonly worktree: string };

const MANIFEST = {
  version: 1,
  entry: 'Main',
  nodes: {
    Main: {
      entry_block: 'Reserve',
      blocks: {
        Reserve: {
          worker: 'Internal:UpdateChangePlan',
          transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' }],
        },
      },
    },
  },
};

/** Creates a session that conflicts with its base in these files, and a manifest outside of the repository. */
async function conflicting(files: readonly string[] = ['a.txt', 'src/b.txt']): Promise<Conflicting> {
  const { repository } = bench;
  const session = await bench.session('Fix "it"');
  for (const file of files) {
    repository.put(file, `ours in ${file}\n`, session.worktree);
    repository.put(file, `theirs in ${file}\n`);
  }
  repository.commit('Ours first\n\nbody', session.worktree);
  repository.commit('Theirs first');
  writeFileSync(path.join(bench.at, 'manifest.json'), JSON.stringify(MANIFEST));
  repository.put('.flow/flow.registry.json', '{"Internal:UpdateChangePlan":"builtin:UpdateChangePlan"}');
  return session;
}

const resolver = (node = 'Main'): Resolver => ({
  start: { node: node as NodeId },
  manifest: path.join(bench.at, 'manifest.json'),
});

/**
 * Requests a resolution. It is queued, because no host runs. Then withdraws it from the queue and returns the session.
 */
async function asked(session: Conflicting): Promise<Session> {
  const { api, manager } = bench.sessions;
  await api.change(session.id, { after: [(await bench.session('Before')).id] });
  const done = await api.update(session.id, { abort: false, resolve: resolver() });
  expect(done).toMatchObject({ ok: true, session: { state: 'queued', resolving: { known: 0, stood: 'ready' } } });
  await api.withdraw(session.id);
  return manager.get(session.id);
}

async function refusal(work: Promise<unknown>): Promise<RoboSmithError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof RoboSmithError) return thrown;
  throw new Error('it was accepted');
}

const stand = (id: SessionId) => {
  const { state, why, resolving, isDone } = bench.get(id);
  return { state, why, resolving, isDone };
};

const resolve = ({ worktree }: Conflicting): void => {
  for (const file of ['a.txt', 'src/b.txt']) writeFileSync(path.join(worktree, file), 'both\n');
};

describe('a resolver', () => {
  test('is told the files with their hunks, what to do, and what both sides have done', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    const input = await resolverInput(await asked(session), { git: realGit, root: bench.repository.root });
    expect(input).toContain('2 files are in conflict');
    expect(input).toContain(`${session.branch}, "Fix "it""`);
    expect(input).toMatch(/^ {2}- Ours first$/m);
    expect(input).toMatch(/^The base \(theirs\): main, at [0-9a-f]+:\n {2}- Theirs first$/m);
    expect(input).toMatch(
      /^src\/b\.txt: edit .*\nfrom line 1:\n<{7} HEAD\nours in src\/b\.txt\n={7}\ntheirs in src\/b\.txt\n>{7} /m,
    );
  });

  test('is told no text that must not leave the machine, and no more than it can read', async () => {
    verifies('worktrees.update.resolver');
    bench.repository.put('.vision/ignore', 'a.txt\n');
    bench.repository.commit('Rules');
    const session = await conflicting(['a.txt', 'src/b.txt', 'x.txt']);
    for (const side of [bench.repository.root, session.worktree])
      bench.repository.put('x.txt', `${side}\n`.repeat(9_000), side);
    bench.repository.commit('Long', session.worktree);
    bench.repository.commit('Long');
    const input = (await resolverInput(await asked(session), { git: realGit, root: bench.repository.root })) ?? '';
    expect(input).not.toContain('ours in a.txt');
    expect(input).toContain(
      'a.txt: edit the file so that it contains both changes, and remove the conflict markers\n(.vision/ignore does not allow its text to leave this machine)',
    );
    expect(input.length).toBeLessThan(60_000);
  });

  test('that is not there, is not trusted, or would work beside a run, changes nothing', async () => {
    verifies('worktrees.update.resolver');
    const { api } = bench.sessions;
    const session = await conflicting();
    const tip = bench.repository.git(['rev-parse', 'HEAD'], session.worktree);
    const unknown = await refusal(api.update(session.id, { abort: false, resolve: resolver('Nobody') }));
    expect([unknown.code, unknown.message]).toEqual(['usage', expect.stringContaining('Nobody')]);
    const played = await bench.run(session, { A: hand(() => undefined) }, {}, { stepMode: true });
    expect(played.response.reason).toBe('halted');
    const open = await refusal(api.update(session.id, { abort: false, resolve: resolver() }));
    expect([open.code, open.message]).toEqual(['wrong_state', expect.stringContaining(played.id)]);
    expect(bench.repository.git(['rev-parse', 'HEAD'], session.worktree)).toBe(tip);
    expect(bench.repository.git(['status', '--porcelain'], session.worktree)).toBe('');
  });

  test('that resolves and commits by itself is done, and its session’s own job is not', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    const played = await bench.run(await asked(session), {
      A: hand(() => {
        resolve(session);
        bench.repository.commit('Resolved', session.worktree);
      }),
    });
    expect(played.response.success).toBe(true);
    expect(stand(session.id)).toEqual({ state: 'ready', why: null, resolving: null, isDone: false });
  });

  test('that stages markers has resolved nothing; neither has an update that is asked for again', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    const stages = hand(() => void bench.repository.git(['add', '--all'], session.worktree));
    await bench.run(await asked(session), { A: stages });
    expect(stand(session.id)).toMatchObject({
      state: 'halted',
      why: expect.stringContaining('src/b.txt: it still has') as string,
    });
    const again = await bench.sessions.api.update(session.id, { abort: false });
    expect(again).toMatchObject({ ok: false, files: ['a.txt', 'src/b.txt'] });
    expect(bench.repository.git(['log', '-1', '--format=%s'], session.worktree)).toBe('Ours first');
    expect(await bench.sessions.api.update(session.id, { abort: true })).toMatchObject({ ok: true });
    expect(stand(session.id)).toEqual({ state: 'ready', why: null, resolving: null, isDone: false });
  });

  test('that aborts the merge has brought nothing in', async () => {
    const session = await conflicting();
    const aborts = hand(() => void bench.repository.git(['merge', '--abort'], session.worktree));
    await bench.run(await asked(session), { A: aborts });
    expect(stand(session.id)).toMatchObject({
      state: 'halted',
      why: expect.stringContaining('was aborted in its worktree') as string,
    });
  });

  test('that fails fails nothing of its session', async () => {
    const session = await conflicting();
    const fails = hand(() => {
      throw new Error('no idea');
    });
    const { response, id } = await bench.run(await asked(session), { A: fails });
    expect(response.success).toBe(false);
    expect(stand(session.id)).toMatchObject({ state: 'halted', why: expect.stringContaining(id) as string });
  });

  test('that a person was quicker than is not needed any more: its run is cancelled', async () => {
    const session = await conflicting();
    const { id, response } = await bench.run(
      await asked(session),
      { A: hand(() => undefined) },
      {},
      { stepMode: true },
    );
    expect(response.reason).toBe('halted');
    resolve(session);
    const { api } = await bench.reopened();
    expect(await api.update(session.id, { abort: false })).toMatchObject({
      ok: true,
      session: { state: 'ready', why: null, resolving: null, isDone: false },
    });
    expect(runDetails(bench.repository.root, id)?.listing.summary.status).toBe('cancelled');
  });

  test('whose engine died between its end and the merge is not run again: the next engine concludes', async () => {
    verifies('worktrees.update.resolver', 'worktrees.session.stored');
    const session = await conflicting();
    const { resolving } = await asked(session);
    const { manager } = bench.sessions;
    manager.change(session.id, { resolving: null });
    const { id } = await bench.run(session, { A: hand(() => resolve(session)) });
    manager.change(session.id, { resolving, isDone: false });
    manager.send(session.id, { type: 'run.began' });
    const next = (await bench.reopened()).manager.get(session.id);
    expect(next).toMatchObject({ state: 'ready', why: null, resolving: null, runs: [id] });
    expect(bench.repository.git(['log', '-1', '--format=%P'], session.worktree).split(' ')).toHaveLength(2);
  });
});

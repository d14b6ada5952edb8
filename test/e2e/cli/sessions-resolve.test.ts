import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../verifies.ts';
import { killHard } from './hosted.ts';
import { to } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

/**
 * A resolver command. It waits for the file `gate`, and resolves src/a.txt, and also src/b.txt unless a file `leave`
 * exists next to the project.
 */
const RESOLVES = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
appendFileSync('../../began', 'x');
for (let tries = 0; tries < 2000 && !existsSync('../../gate'); tries += 1) await setTimeout(20);
writeFileSync('src/a.txt', 'both\\n');
if (!existsSync('../../leave')) writeFileSync('src/b.txt', 'both\\n');
`;

const RESOLVING = {
  ...MANIFEST,
  worktree: { resolver: 'Resolve' },
  workers: {
    ...MANIFEST.workers,
    'Worker:Resolve': { kind: 'command', command: ['node', 'resolve.mjs'], side_effects: 'idempotent' },
  },
  nodes: {
    ...MANIFEST.nodes,
    Resolve: {
      entry_block: 'Try',
      blocks: {
        Try: {
          worker: 'Worker:Resolve',
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
};

interface Conflicting extends Session {
  readonly worktree: string;
}

/** Creates the session `Clashing`, which conflicts with its base in two files. */
async function conflicting(manifest: object = RESOLVING): Promise<Conflicting> {
  at = await sessionProject(manifest);
  at.write('resolve.mjs', RESOLVES);
  at.write('src/b.txt', 'one\n');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Resolver');
  await at.robosmith('sessions', 'new', 'Clashing');
  const session = await at.session('Clashing');
  const { worktree } = session;
  if (worktree === null) throw new Error('it has no worktree');
  for (const file of ['src/a.txt', 'src/b.txt']) {
    writeFileSync(path.join(worktree, file), 'ours\n');
    at.write(file, 'theirs\n');
  }
  at.git('commit', '-qam', 'Theirs');
  return { ...session, worktree };
}

const update = (...flags: readonly string[]) => at.robosmith('sessions', 'update', 'Clashing', ...flags);
const beside = (name: string): void => writeFileSync(path.join(at.folder, '..', name), '');
const read = ({ worktree }: Conflicting, file: string): string => readFileSync(path.join(worktree, file), 'utf8');

describe('sessions update --resolve', () => {
  test('a node resolves what is in conflict, and the update is concluded', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    at.openGate();
    const { code, out, err } = await update('--resolve', 'Resolve', '--trust');
    expect([code, out]).toEqual([0, expect.stringContaining('is up to date')]);
    expect(err).toContain('2 files are in conflict with main: Resolve resolves them');
    expect(out).not.toContain('in conflict');
    expect(await at.session('Clashing')).toMatchObject({
      state: 'ready',
      why: null,
      job: null,
      isDone: false,
      resolving: null,
      runs: [expect.any(String)],
    });
    expect(read(session, 'src/b.txt')).toBe('both\n');
    expect(at.gitIn(session.worktree, 'status', '--porcelain')).toBe('');
    expect(at.gitIn(session.worktree, 'log', '-1', '--format=%s %P').split(' ')).toHaveLength(6);
    expect((await at.robosmith('sessions', 'merge', 'Clashing')).code).toBe(0);
    expect(at.read('src/a.txt')).toBe('both\n');
  });

  test('what it leaves in conflict is listed, and the session is halted until a person has resolved it', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    at.openGate();
    beside('leave');
    const { code, err } = await update('--resolve', '--trust');
    expect([code, err]).toEqual([1, expect.stringContaining('src/b.txt: it still has conflict markers')]);
    expect(err).not.toContain('src/a.txt: ');
    expect(await at.session('Clashing')).toMatchObject({ state: 'halted', runs: [expect.any(String)] });
    expect((await at.robosmith('inbox')).out).toContain(`robosmith sessions update ${session.id}`);
    expect((await update()).code).toBe(1);
    writeFileSync(path.join(session.worktree, 'src/b.txt'), 'by hand\n');
    expect((await update()).code).toBe(0);
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', why: null, resolving: null });
    expect(at.gitIn(session.worktree, 'show', 'HEAD:src/a.txt')).toBe('both\n');
  });

  test('a node that is not there, or none, changes nothing', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting({ ...RESOLVING, worktree: {} });
    const before = at.gitIn(session.worktree, 'rev-parse', 'HEAD');
    const unknown = await update('--resolve', 'Resolv', '--trust');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean "Resolve"?')]);
    const unnamed = await update('--resolve', '--trust');
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('"resolver"')]);
    expect((await update('--resolve', 'Resolve', '--abort')).code).toBe(2);
    expect(at.gitIn(session.worktree, 'rev-parse', 'HEAD')).toBe(before);
    expect(at.gitIn(session.worktree, 'status', '--porcelain')).toBe(' M src/a.txt\n M src/b.txt\n');
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', runs: [], resolving: null });
  });

  test('is run on conflicts only, and only where it is asked for', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting();
    const plain = await update();
    expect([plain.code, (await at.session('Clashing')).runs]).toEqual([1, []]);
    const aborted = await update('--abort');
    expect([aborted.code, aborted.out]).toEqual([
      0,
      expect.stringMatching(/ is restored\n {2}the worktree is as before the update\n$/),
    ]);
    at.gitIn(session.worktree, 'reset', '-q', '--hard', 'HEAD~1');
    const clean = await update('--resolve', '--trust');
    expect([clean.code, clean.out]).toEqual([0, expect.stringContaining('is up to date')]);
    expect(read(session, 'src/a.txt')).toBe('theirs\n');
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', runs: [] });
  });

  test('one that waits for a person concludes when it was answered', async () => {
    verifies('worktrees.update.resolver');
    const { Resolve, ...others } = RESOLVING.nodes;
    const Try = { ...Resolve.blocks.Try, gate: true };
    await conflicting({ ...RESOLVING, nodes: { ...others, Resolve: { ...Resolve, blocks: { Try } } } });
    at.openGate();
    const { code, err } = await update('--resolve', '--trust');
    expect([code, err]).toEqual([3, expect.stringContaining('robosmith inbox')]);
    const { state, runs } = await at.session('Clashing');
    expect([state, runs.length]).toEqual(['halted', 1]);
    expect((await at.robosmith('resume', runs[0] ?? '', '--proceed')).code).toBe(0);
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', why: null, resolving: null, runs });
  });

  test('an engine that is killed while it works goes on with the same run, and concludes it', async () => {
    verifies('worktrees.update.resolver');
    await conflicting();
    const begun = await update('--resolve', '--trust', '--detach');
    expect([begun.code, begun.out]).toEqual([0, expect.stringContaining('Resolve resolves them')]);
    const running = await at.untilState('Clashing', 'running');
    const status = JSON.parse((await at.robosmith('host', 'status', '--json')).out) as { host: { pid: number } };
    await killHard(status.host.pid);
    at.openGate();
    expect((await at.robosmith('sessions', 'resume', 'Clashing')).code).toBe(0);
    const ready = await at.untilState('Clashing', 'ready');
    expect(ready).toMatchObject({ resolving: null, why: null });
    expect(ready.runs).toHaveLength(1);
    expect(running.runs.every((run) => ready.runs.includes(run))).toBe(true);
    expect((await at.robosmith('sessions', 'merge', 'Clashing')).code).toBe(0);
    expect(at.read('src/b.txt')).toBe('both\n');
  });

  /** Returns the manifest with a resolver that runs this command. */
  const resolvingBy = (...command: readonly string[]): object => ({
    ...RESOLVING,
    workers: { ...RESOLVING.workers, 'Worker:Resolve': { kind: 'command', command, side_effects: 'idempotent' } },
  });

  test('a resolver that stages the markers has resolved nothing, however often it is asked', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting(resolvingBy('git', 'add', '-A'));
    for (let tries = 0; tries < 3; tries += 1) {
      const { code, err } = await update('--resolve', '--trust');
      expect([code, err]).toEqual([1, expect.stringContaining('src/a.txt: it still has conflict markers')]);
      expect(err).toContain('src/b.txt: it still has conflict markers');
    }
    expect((await at.session('Clashing')).update).toMatchObject({ files: ['src/a.txt', 'src/b.txt'] });
    const merged = await at.robosmith('sessions', 'merge', 'Clashing');
    expect([merged.code, merged.err]).toEqual([1, expect.stringContaining('an update from its base is in progress')]);
    expect(at.read('src/a.txt')).toBe('theirs\n');
    const aborted = await update('--abort');
    expect([aborted.code, read(session, 'src/a.txt')]).toEqual([0, 'ours\n']);
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', update: null, resolving: null });
  });

  test.each([
    ['a resolver', true],
    ['a person', false],
  ])(
    'markers that %s has committed are neither merged nor pushed until the update is concluded',
    async (_, isResolver) => {
      verifies('worktrees.update.resolver');
      const session = await conflicting(resolvingBy('git', 'commit', '-qam', 'Markers'));
      const { code } = await (isResolver ? update('--resolve', '--trust') : update());
      expect(code).toBe(1);
      if (!isResolver) at.gitIn(session.worktree, 'commit', '-qam', 'Markers');
      for (const verb of ['merge', 'push', 'merge']) {
        const refused = await at.robosmith('sessions', verb, 'Clashing');
        expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('with conflict markers')]);
        expect(refused.err).toContain('src/b.txt');
      }
      expect((await update()).code).toBe(1);
      expect(at.git('show', 'main:src/a.txt')).toBe('theirs\n');
      for (const file of ['src/a.txt', 'src/b.txt']) writeFileSync(path.join(session.worktree, file), 'both\n');
      at.gitIn(session.worktree, 'commit', '-qam', 'Resolved');
      expect((await update()).code).toBe(0);
      expect((await at.robosmith('sessions', 'merge', 'Clashing')).code).toBe(0);
      expect(at.read('src/b.txt')).toBe('both\n');
    },
  );

  test('an update that was committed with markers goes back with --abort', async () => {
    verifies('worktrees.update.resolver');
    const session = await conflicting(resolvingBy('git', 'commit', '-qam', 'Markers'));
    expect((await update('--resolve', '--trust')).code).toBe(1);
    expect((await update('--abort')).code).toBe(0);
    expect([read(session, 'src/a.txt'), at.gitIn(session.worktree, 'status', '--porcelain')]).toEqual(['ours\n', '']);
    expect(await at.session('Clashing')).toMatchObject({ state: 'ready', update: null, resolving: null });
  });

  test('lines that look like markers and that one side had before are content', async () => {
    const session = await conflicting();
    const guide = '# Conflicts\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> main\n';
    writeFileSync(path.join(session.worktree, 'src/a.txt'), guide);
    expect((await update()).code).toBe(1);
    writeFileSync(path.join(session.worktree, 'src/a.txt'), guide);
    writeFileSync(path.join(session.worktree, 'src/b.txt'), 'both\n');
    at.gitIn(session.worktree, 'commit', '-qam', 'Resolved');
    expect((await at.robosmith('sessions', 'merge', 'Clashing')).code).toBe(0);
    expect(at.read('src/a.txt')).toBe(guide);
  });
});

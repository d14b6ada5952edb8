import { spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { RUN } from './durable.ts';
import { PROGRAM } from './robosmith.ts';
import type { ProjectStatus } from './session-documents.ts';
import { gitProject, type GitProject } from './git-project.ts';

let at: GitProject;
beforeEach(async () => {
  at = await gitProject();
});
afterEach(() => at.remove());

const statusOf = (...more: readonly string[]) => at.json<ProjectStatus>('status', ...more);

test('four signals, each for itself', async () => {
  verifies('cli.status', 'worktrees.signals');
  const login = await at.session('Fix the login', '--plan', 'src/login/**');
  const docs = await at.session('Docs');
  writeFileSync(path.join(docs.worktree, 'new.md'), 'x');
  const gone = await at.session('Gone');
  rmSync(gone.worktree, { recursive: true });
  await at.session('Rework the login', '--plan', 'src/login/form.ts', '--priority', '1');
  const { sessions, engine, waiting, runs, findings, disk } = await statusOf();
  expect(
    sessions.map(({ session, health, overlap, queue, order }) => [session.title, health.colour, overlap, queue, order]),
  ).toEqual([
    ['Fix the login', 'green', 'Clash', 'complete', null],
    ['Docs', 'amber', 'Clear', 'complete', null],
    ['Gone', 'red', 'Unchecked', 'complete', null],
    ['Rework the login', 'green', 'Clash', 'queued', 'P:1'],
  ]);
  // The queued session has started a host.
  expect([engine?.kind, waiting, runs, findings, disk]).toEqual(['host', 0, [], 1, null]);
  const { out, err, code } = await at.robosmith('status');
  expect(out).toMatch(/Fix the login +✓ clean +complete +Clash/);
  expect(out).toMatch(/Docs +! uncommitted +complete +Clear .*uncommitted: 1 untracked/);
  expect(out).toMatch(/Gone +✗ action .* is missing/);
  expect(out).toContain('worktrees 1 to check: robosmith worktrees');
  expect([err, code]).toEqual([`\nNext:\n  robosmith sessions show ${login.id}\n`, 0]);
  const shown = await at.robosmith('sessions', 'show', docs.id);
  expect(shown.out).toContain('health    ! uncommitted: 1 untracked');
});

test('runs outside of sessions, what waits for a person, and who owns the engine', async () => {
  verifies('cli.status');
  writeFileSync(at.file('fail-A'), '');
  await at.robosmith(...RUN);
  rmSync(at.file('fail-A'));
  writeFileSync(at.file('hold-B'), '');
  const running = await at.until('B said it', ...RUN, '--jsonl');
  const { engine, waiting, runs } = await statusOf();
  expect([engine?.kind, engine?.pid, waiting]).toEqual(['process', running.pid, 1]);
  expect(runs.map(({ status }) => status)).toEqual(['running', 'halted']);
  const { out, err } = await at.robosmith('status');
  expect(out).toContain(`engine    process ${String(running.pid)}, for `);
  expect(out).toContain('for you   1 item waits: robosmith inbox');
  expect(out).toContain('Runs outside of sessions:');
  expect(err).toContain('robosmith inbox');
  rmSync(at.file('hold-B'));
  await running.ended;
});

test('an interrupted run outside of sessions is there with what goes on with it; many are counted', async () => {
  verifies('cli.status');
  writeFileSync(at.file('hold-A'), '');
  const interrupt = async (): Promise<string> => {
    const running = await at.until('A said it', ...RUN, '--jsonl');
    running.signal('SIGINT');
    await running.ended;
    return (await at.newest()).run;
  };
  const run = await interrupt();
  expect((await statusOf()).runs.map(({ status }) => status)).toEqual(['interrupted']);
  const one = await at.robosmith('status');
  expect(one.out).toMatch(new RegExp(`Runs outside of sessions:\n.*\n. ${run} +Main +interrupted`));
  expect(one.err).toBe(`\nNext:\n  robosmith resume ${run}\n`);
  for (let more = 0; more < 5; more += 1) await interrupt();
  const many = await at.robosmith('status');
  expect(many.out).toContain('Runs outside of sessions:\n6 were interrupted, and can be resumed: robosmith runs\n');
  expect(many.err).toBe('\nNext:\n  robosmith runs\n');
});

test('the block that a session is at, its attempt, and why it waits', async () => {
  verifies('cli.status');
  const { id } = await at.session('Fix the login');
  writeFileSync(at.file('fail-B'), '');
  await at.robosmith(...RUN);
  const { run } = await at.newest();
  const stored = JSON.parse(await at.read('.flow/sessions.json')) as { readonly sessions: readonly object[] };
  const why = 'its run waits for a person: robosmith inbox';
  const sessions = stored.sessions.map((session) => ({ ...session, state: 'halted', runs: [run], why }));
  await at.write('.flow/sessions.json', { ...stored, sessions });
  const status = await statusOf();
  const [listing] = status.sessions;
  expect([listing?.attempt, listing?.run?.block, listing?.health]).toEqual([
    1,
    'Main__B',
    { colour: 'red', reason: `halted: ${why}` },
  ]);
  // The session's run is not among the runs outside sessions, and it is counted once.
  expect([status.runs, status.waiting]).toEqual([[], 1]);
  const { out } = await at.robosmith('status');
  expect(out).toMatch(new RegExp(`${id}  Fix the login  ✗ action  halted +Unchecked +B +1 +2 .*${why}`));
});

test('what is over is shown when it is asked for, and what all takes of the disk', async () => {
  const { id, worktree } = await at.session('Docs');
  writeFileSync(path.join(worktree, 'large'), 'x'.repeat(5_000_000));
  const { disk } = await statusOf('--disk');
  expect(disk?.worktrees[0]?.size?.bytes).toBeGreaterThan(5_000_000);
  expect((await at.robosmith('status', '--disk')).out).toMatch(/disk +worktrees 5\.0 MB, \.flow .*, \.vision\/logs/);
  await at.robosmith('sessions', 'discard', id, '--force');
  const short = await at.robosmith('status');
  expect(short.out).toContain('No active sessions.\n1 has ended: robosmith status --all\n');
  expect((await at.robosmith('status', '--all')).out).toMatch(/Docs +✓ clean +discarded/);
});

test('no repository, a damaged list, a flag too much: each is said', async () => {
  renameSync(at.file('.git'), at.file('git-away'));
  expect((await statusOf()).findings).toBeNull();
  writeFileSync(at.file('.flow/sessions.json'), '{');
  const damaged = await at.robosmith('status');
  expect([damaged.code, damaged.err]).toEqual([expect.any(Number), expect.stringContaining('corrupt_state')]);
  expect(damaged.code).not.toBe(0);
  const { code, err } = await at.robosmith('status', '--watch', '--json');
  expect([code, err]).toEqual([2, expect.stringContaining('robosmith status --help')]);
});

test('piped, --watch is one look', async () => {
  const { out, code } = await at.robosmith('status', '--watch');
  expect([out.includes('\u001b'), out.startsWith('engine    not running'), code]).toEqual([false, true, 0]);
});

/** The program of util-linux that runs a command on a pseudo-terminal. */
const PSEUDO_TERMINAL = 'script';

/** Runs `status --watch` on a pseudo-terminal. */
function watching() {
  const command = `stty cols 100 rows 30; exec '${process.execPath}' '${PROGRAM}' status --watch`;
  const child = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
    cwd: at.folder,
    env: { ...process.env, CI: undefined, TERM: 'xterm', ROBOSMITH_CONFIG_DIR: path.join(at.folder, '..', 'config') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let text = '';
  const waiting: { readonly cue: string; readonly heard: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    for (const { cue, heard } of waiting) if (stripVTControlCharacters(text).includes(cue)) heard();
  });
  return {
    /** Resolves when the output contains this cue for the first time. */
    shown: (cue: string): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ cue, heard: resolve });
      }),
    type: (key: string): void => void child.stdin.write(key),
    ended: new Promise<number | null>((resolve) => child.on('close', resolve)),
    text: () => text,
  };
}

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test('--watch shows what changes as soon as it does, and q ends it', async () => {
    verifies('cli.status');
    const { shown, type, ended, text } = watching();
    await shown('q quit');
    await at.session('Something new');
    await shown('Something new');
    type('q');
    expect(await ended).toBe(0);
    // Lines are overwritten in place. The screen is cleared only once, when the console starts.
    expect(text().split('\u001b[2J')).toHaveLength(2);
    expect(text().endsWith('\u001b[?1049l')).toBe(true);
  });

  test('--watch follows a run that another process does by itself', async () => {
    verifies('engine.host.own-process', 'cli.status');
    const { shown, type, ended } = watching();
    await shown('no engine runs');
    writeFileSync(at.file('hold-B'), '');
    const running = await at.until('B said it', ...RUN, '--jsonl');
    await shown(`process ${String(running.pid)}`);
    await shown('Main (no session)');
    expect((await statusOf()).engine?.kind).toBe('process');
    const { host } = await at.json<{ readonly host: { readonly foreground?: true } }>('host', 'status');
    expect(host.foreground).toBe(true);
    writeFileSync(at.file('fail-C'), '');
    rmSync(at.file('hold-B'));
    expect((await running.ended).code).toBe(3);
    await shown('1 waits');
    type('q');
    expect(await ended).toBe(0);
  });
});

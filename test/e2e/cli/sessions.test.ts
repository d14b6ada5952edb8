import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { verifies } from '../verifies.ts';
import { to } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
let server: FaultServer | null = null;
afterEach(async () => {
  await at.remove();
  await server?.close();
  server = null;
});

const KEYS = { first: 'sk-test-race-first-66778899aabb', second: 'sk-test-race-second-ccddeeff0011' };

/** Returns a manifest whose run first asks a model and then writes the file. */
const withModel = (url: string) => ({
  ...MANIFEST,
  workers: {
    ...MANIFEST.workers,
    'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url },
  },
  nodes: {
    Fix: {
      entry_block: 'Ask',
      blocks: {
        Ask: {
          worker: 'Worker:Model',
          contract: 'Say hello.',
          transitions: [to('SUCCESS', 'JUMP:Edit'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        ...MANIFEST.nodes.Fix.blocks,
      },
    },
  },
});

const worktreeOf = ({ worktree }: { readonly worktree: string | null }): string => {
  if (worktree === null) throw new Error('it has no worktree');
  return worktree;
};

describe('two sessions that plan the same file', () => {
  test('the second shows Clash and waits; the first key fails over; after the merge it starts from the new base', async () => {
    verifies('success.6-race', 'cli.sessions', 'worktrees.queue.by-itself', 'worktrees.clash.direct', 'cli.run.detach');
    server = await startFaultServer();
    const tooMany = { status: 429, body: '{"error":{"message":"Too Many Requests"}}' };
    const url = server.byKey({ [KEYS.first]: tooMany, [KEYS.second]: 'none' });
    at = await sessionProject(withModel(url), {
      ROBOSMITH_KEY_A: KEYS.first,
      ROBOSMITH_URL_A: url,
      ROBOSMITH_KEY_B: KEYS.second,
      ROBOSMITH_URL_B: url,
    });
    const first = await at.robosmith('run', 'Fix', '--session', 'Alpha', '--plan', 'src/a.txt', '--detach', '--trust');
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('in the engine host')]);
    const second = await at.robosmith('run', 'Fix', '--session', 'Beta', '--plan', 'src/**', '--detach');
    expect([second.code, second.err]).toEqual([0, expect.stringContaining('is queued: waits for Alpha')]);

    const alpha = await at.untilState('Alpha', 'running');
    const [, beta] = await at.sessions();
    expect(beta).toMatchObject({
      overlap: 'Clash',
      queue: 'queued',
      order: 'FIFO #1',
      waits: { why: 'clash', for: [{ title: 'Alpha' }] },
      clashes: [{ with: { title: 'Alpha' }, files: ['src/a.txt'] }],
    });
    expect((await at.robosmith('sessions')).out).toMatch(
      /Beta .*queued +.*Clash .*waits for Alpha \(s[0-9a-f]+\): src\/a\.txt/,
    );
    at.openGate();
    await at.untilState('Alpha', 'ready');
    expect(server.seen.map(({ key }) => key)).toEqual([KEYS.first, KEYS.second]);
    expect(readFileSync(path.join(worktreeOf(alpha), 'src/a.txt'), 'utf8')).toBe('one\nby alpha\n');
    expect((await at.session('Beta')).state).toBe('queued');
    const inbox = await at.robosmith('inbox');
    expect(inbox.out).toMatch(/Alpha .*Its work is done\.\n(?:.*\n)+ +robosmith sessions merge s[0-9a-f]+\n/);
    expect(inbox.out).toContain('1 item waits for you.');

    at.write('mine.txt', 'not committed');
    const merged = await at.robosmith('sessions', 'merge', 'Alpha');
    expect([merged.code, merged.out]).toEqual([0, expect.stringContaining('Alpha')]);
    await at.untilState('Beta', 'ready');
    expect((await at.robosmith('sessions', 'merge', 'Beta')).code).toBe(0);
    expect(at.git('show', 'main:src/a.txt')).toBe('one\nby alpha\nby beta\n');
    expect(at.git('log', '--format=%s', 'main')).toBe('Beta\nAlpha\none\n');
    expect(at.git('status', '--porcelain')).toBe('?? mine.txt\n');
    expect(at.git('branch', '--format=%(refname:short)')).toBe('main\n');
    expect(readdirSync(`${at.folder}.worktrees`)).toEqual([]);
  });
});

describe('sessions on the command line', () => {
  test('a person works in one: made, changed, merged; nothing is left of it but its work', async () => {
    verifies('cli.sessions', 'worktrees.create.place', 'worktrees.merge.strategies', 'worktrees.merge.dirty-base');
    at = await sessionProject();
    const made = await at.robosmith('sessions', 'new', 'By hand', '--plan', 'docs/**', '--json');
    const { session } = JSON.parse(made.out) as { session: { id: string; worktree: string; branch: string } };
    expect(session).toMatchObject({ state: 'ready', branch: `robosmith/by-hand-${session.id.slice(1)}` });
    expect(path.dirname(session.worktree)).toBe(`${at.folder}.worktrees`);
    writeFileSync(path.join(session.worktree, 'b.txt'), 'new\n');
    at.write('src/a.txt', 'mine, not committed\n');
    expect((await at.robosmith('sessions', 'merge', session.id, '--message', 'Add b')).code).toBe(0);
    expect(at.git('log', '-1', '--format=%B', 'main')).toBe(`Add b\n\nRobosmith-Session: ${session.id}\n\n`);
    expect([at.read('b.txt'), at.read('src/a.txt')]).toEqual(['new\n', 'mine, not committed\n']);
    expect(existsSync(session.worktree)).toBe(false);
  });

  test('in conflict nothing has changed; update leaves the conflict to be resolved, and then it merges', async () => {
    verifies('worktrees.merge.refused', 'worktrees.update');
    at = await sessionProject();
    await at.robosmith('sessions', 'new', 'Clashing');
    const worktree = worktreeOf(await at.session('Clashing'));
    writeFileSync(path.join(worktree, 'src/a.txt'), 'theirs\n');
    const nothing = await at.robosmith('sessions', 'merge', 'Clashing', '--verify');
    expect(nothing.err).toMatch(/Next:\n {2}robosmith sessions show s[0-9a-f]{8}\n/);
    at.write('src/a.txt', 'ours\n');
    at.git('commit', '-qam', 'two');
    const before = at.git('rev-parse', 'main');
    const refused = await at.robosmith('sessions', 'merge', 'Clashing');
    // The file is named only once, because git's own message is not shown in addition.
    expect([refused.code, refused.err.match(/src\/a\.txt/g)]).toEqual([1, ['src/a.txt']]);
    const { id, state } = await at.session('Clashing');
    expect(refused.err).toContain(`Next:\n  robosmith sessions update ${id}\n`);
    expect([at.git('rev-parse', 'main'), state]).toEqual([before, 'ready']);
    const update = await at.robosmith('sessions', 'update', 'Clashing');
    expect([update.code, update.err]).toEqual([1, expect.stringContaining('1 file is in conflict with main')]);
    expect(readFileSync(path.join(worktree, 'src/a.txt'), 'utf8')).toContain('<<<<<<<');
    const steps = ['terminal', 'update', 'update --abort'].map((one) =>
      one.replace(/^\w+/, `  robosmith sessions $& ${id}`),
    );
    const next = `Next, one of:\n${steps.join('\n')}\n`;
    expect(update.err).toContain(next);
    // A merge is refused as well while the update has conflicts.
    expect((await at.robosmith('sessions', 'merge', 'Clashing')).code).toBe(1);
    const shown = await at.robosmith('sessions', 'show', 'Clashing');
    expect([shown.out, shown.err]).toEqual([
      expect.stringContaining('state     ready; an update has left conflicts in its worktree'),
      expect.stringContaining(next),
    ]);
    const early = await at.robosmith('sessions', 'update', 'Clashing');
    expect([early.code, early.err.match(/src\/a\.txt/g)]).toEqual([1, ['src/a.txt']]);
    writeFileSync(path.join(worktree, 'src/a.txt'), 'both\n');
    expect((await at.robosmith('sessions', 'update', 'Clashing')).code).toBe(0);
    expect((await at.session('Clashing')).why).toBe(null);
    expect((await at.robosmith('sessions', 'merge', 'Clashing', '--strategy', 'merge')).code).toBe(0);
    expect(at.read('src/a.txt')).toBe('both\n');
  });

  test('made by several commands at the same time, without a host, all are made', async () => {
    at = await sessionProject();
    const titles = ['One', 'Two', 'Three', 'Four'];
    const made = await Promise.all(titles.map((title) => at.robosmith('sessions', 'new', title, '--draft')));
    expect(made.map(({ code, err }) => [code, err])).toEqual(titles.map(() => [0, '']));
    expect((await at.sessions()).map(({ session }) => session.title).sort()).toEqual([...titles].sort());
  });

  test('whose base has another name by now, it is told, shown and merged into that', async () => {
    at = await sessionProject();
    await at.robosmith('sessions', 'new', 'Mine');
    const { worktree } = await at.untilState('Mine', 'ready');
    if (worktree === null) throw new Error('it has a worktree');
    writeFileSync(path.join(worktree, 'own.txt'), 'own\n');
    at.git('branch', '-m', 'main', 'trunk');
    expect((await at.robosmith('sessions', 'merge', 'Mine')).err).toContain(
      '`robosmith sessions change --base <branch>`',
    );
    const missed = await at.robosmith('sessions', 'change', 'Mine', '--base', 'trnk');
    expect([missed.code, missed.err]).toEqual([1, expect.stringContaining('there is no branch trnk here')]);
    expect((await at.robosmith('sessions', 'change', 'Mine', '--base', 'trunk')).code).toBe(0);
    expect((await at.robosmith('sessions', 'show', 'Mine')).out).toMatch(
      /base {6}main at [0-9a-f]{10}; it will be merged into trunk\n/,
    );
    expect((await at.robosmith('sessions', 'merge', 'Mine')).code).toBe(0);
    expect(at.git('show', 'trunk:own.txt')).toBe('own\n');
  });

  test('discard is refused while work would be lost; forced, restore brings all of it back', async () => {
    verifies('worktrees.discard', 'worktrees.nothing-lost');
    at = await sessionProject();
    await at.robosmith('sessions', 'new', 'Precious');
    const worktree = worktreeOf(await at.session('Precious'));
    writeFileSync(path.join(worktree, 'only-here.txt'), 'precious');
    const refused = await at.robosmith('sessions', 'discard', 'Precious', '--yes');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('only-here.txt')]);
    expect((await at.robosmith('sessions', 'discard', 'Precious')).code).toBe(2);
    expect((await at.robosmith('sessions', 'discard', 'Precious', '--force')).code).toBe(0);
    expect([existsSync(worktree), at.git('branch', '--format=%(refname:short)')]).toEqual([false, 'main\n']);
    expect((await at.robosmith('worktrees')).out).toContain('discarded today: robosmith sessions restore');
    const restored = await at.robosmith('sessions', 'restore', 'Precious');
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('\n  in ../project.worktrees/')]);
    expect(restored.out).not.toContain(at.folder);
    expect(readFileSync(path.join(worktree, 'only-here.txt'), 'utf8')).toBe('precious');
    expect((await at.session('Precious')).state).toBe('held');
  });

  test('hold puts the state on the branch, releases the worktree; resume makes it again; the base never gets the state', async () => {
    verifies('worktrees.hold.not-on-base');
    at = await sessionProject();
    await at.robosmith('sessions', 'new', 'Later');
    const worktree = worktreeOf(await at.session('Later'));
    writeFileSync(path.join(worktree, 'c.txt'), 'kept\n');
    expect((await at.robosmith('sessions', 'hold', 'Later', '--release')).code).toBe(0);
    expect(existsSync(worktree)).toBe(false);
    const { branch } = await at.session('Later');
    expect(JSON.parse(at.git('show', `${branch}:.robo/session.json`))).toMatchObject({
      version: 1,
      run: null,
      session: { title: 'Later' },
    });
    expect((await at.robosmith('sessions', 'resume', 'Later')).code).toBe(0);
    expect(readFileSync(path.join(worktree, 'c.txt'), 'utf8')).toBe('kept\n');
    expect((await at.robosmith('sessions', 'merge', 'Later')).code).toBe(0);
    expect(at.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('.robo');
    expect(at.git('show', 'main:c.txt')).toBe('kept\n');
  });

  test('what can not be done where it stands is refused with the state and a next step', async () => {
    verifies('worktrees.session.machine');
    at = await sessionProject();
    await at.robosmith('sessions', 'new', 'Sketch', '--draft');
    const merged = await at.robosmith('sessions', 'merge', 'Sketch', '--json');
    expect(JSON.parse(merged.out)).toMatchObject({ ok: false, error: { code: 'wrong_state' } });
    expect(merged.err).toMatch(
      /✗ wrong_state {2}session s[0-9a-f]{8} "Sketch" is draft: it can't be merged; submit it first\n\nNext:\n {2}robosmith sessions submit s/,
    );
    const first = await at.robosmith('sessions', 'change', 'Sketch', '--priority', 'first');
    expect([first.code, first.err]).toEqual([
      2,
      expect.stringContaining('Next:\n  robosmith sessions change --help\n'),
    ]);
    const unknown = await at.robosmith('sessions', 'merge', 'Skecth');
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean "Sketch"?')]);
    expect((await at.robosmith('sessions', 'submit', 'Sketch')).out).toMatch(
      /^✓ Sketch \(s[0-9a-f]{8}\) is (?:queued|being created|ready)\n/,
    );
  });

  test('of a project that is a folder of its repository, a run says that its session works at the top', async () => {
    at = await sessionProject();
    mkdirSync(at.file('packages/app/.vision'), { recursive: true });
    mkdirSync(at.file('packages/app/.flow'));
    at.write('packages/app/.vision/workflows.json', JSON.stringify(MANIFEST));
    at.openGate();
    const { code, err } = await at.robosmith('-C', 'packages/app', 'run', 'Fix', '--trust');
    expect(code).toBe(0);
    expect(err).toContain(
      '! The session works at the top of the repository (../..). To work in this folder, use --in .\n',
    );
    expect(err).toMatch(/: robosmith -C packages\/app sessions merge s[0-9a-f]{8}\n/);
    const made = await at.robosmith('-C', 'packages/app', 'sessions', 'new', 'Mine', '--plan', 'src/**');
    expect([made.code, made.err]).toEqual([
      ...[0, '! The session works at the top of the repository (../..); its plan is relative to it.\n'],
    ]);
    expect((await at.robosmith('-C', 'packages/app', 'host', 'stop')).code).toBe(0);
  });

  test('without a commit there is no session, and the command that is said makes one possible', async () => {
    at = await sessionProject();
    const { rmSync } = await import('node:fs');
    rmSync(at.file('.git'), { recursive: true });
    at.git('init', '--quiet');
    const { code, err } = await at.robosmith('sessions', 'new', 'Early');
    expect([code, err]).toEqual([1, expect.stringMatching(/has no commit yet/)]);
    expect(err).toContain('\n\nNext:\n  git commit --allow-empty --message "First commit"\n');
    at.git('commit', '--quiet', '--allow-empty', '--message', 'First commit');
    expect((await at.robosmith('sessions', 'new', 'Early')).code).toBe(0);
  });

  test('from a detached HEAD there is no session, and a command that is said makes one possible', async () => {
    at = await sessionProject();
    at.git('checkout', '--quiet', '--detach');
    const { code, err } = await at.robosmith('sessions', 'new', 'Early');
    expect([code, err]).toEqual([1, expect.stringMatching(/is detached, so the branch to start from is unknown/)]);
    expect(err).toContain('\n\nNext, one of:\n  git branch\n  git switch --create work\n');
    at.git('switch', '--quiet', '--create', 'work');
    expect((await at.robosmith('sessions', 'new', 'Early')).code).toBe(0);
  });

  test('outside of git, init says what sessions need', async () => {
    at = await sessionProject();
    const { rmSync } = await import('node:fs');
    rmSync(at.file('.vision'), { recursive: true });
    const needs = 'This folder is in no git repository: `robosmith run --in .` works here, sessions do not.';
    expect((await at.robosmith('init')).err).not.toContain(needs);
    for (const name of ['.vision', '.git']) rmSync(at.file(name), { recursive: true });
    const { code, err } = await at.robosmith('init');
    expect([code, err]).toEqual([0, expect.stringContaining(needs)]);
  });

  test('outside of git there is no session, and nothing is left of the attempt', async () => {
    verifies('worktrees.create.never-main');
    at = await sessionProject();
    const { rmSync } = await import('node:fs');
    rmSync(at.file('.git'), { recursive: true });
    const { code, err } = await at.robosmith('sessions', 'new', 'Nowhere');
    expect([code, err]).toEqual([2, expect.stringMatching(/is not in a git repository.*\n\nNext:\n {2}git init\n/)]);
    const ofNode = await at.robosmith('sessions', 'new', 'Nowhere', '--node', 'Fix', '--trust');
    const run = await at.robosmith('run', 'Fix', '--trust');
    const next = expect.stringContaining('\n\nNext:\n  robosmith run Fix --in .\n') as string;
    expect([ofNode.code, ofNode.err, run.code, run.err]).toEqual([2, next, 2, next]);
    expect(await at.sessions()).toEqual([]);
    expect(existsSync(`${at.folder}.worktrees`)).toBe(false);
  });
});

const STOPS = {
  ...MANIFEST,
  nodes: {
    Fix: {
      entry_block: 'Edit',
      blocks: {
        Edit: {
          worker: 'Worker:Edit',
          transitions: [to('SUCCESS', 'JUMP:Ask'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
        Ask: { worker: 'Worker:Edit', gate: true, transitions: [to('SUCCESS', 'RETURN')] },
      },
    },
  },
};

test('a session that is held goes on in another clone, at the very block', async () => {
  verifies('worktrees.hold');
  at = await sessionProject(STOPS);
  at.openGate();
  const ran = await at.robosmith('run', 'Fix', '--session', 'Moves on', '--trust');
  expect([ran.code, (await at.session('Moves on')).state]).toEqual([3, 'halted']);
  expect((await at.robosmith('sessions', 'hold', 'Moves on')).code).toBe(0);
  const { branch, runs } = await at.session('Moves on');
  at.gitIn(path.dirname(at.folder), 'clone', '-q', at.folder, 'other');
  const other = path.join(path.dirname(at.folder), 'other');
  const there = (...args: readonly string[]) => at.robosmith('-C', other, ...args);
  try {
    expect((await there('init')).code).toBe(0);
    const asked = await there('sessions', 'resume', `origin/${branch}`);
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining(`sessions resume origin/${branch} --trust\n`)]);
    expect((await there('sessions', '--json')).out).toContain('"sessions": []');
    const resumed = await there('sessions', 'resume', `origin/${branch}`, '--trust');
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('is resumed')]);
    const held = async () => {
      const { out } = await there('sessions', '--json');
      return (JSON.parse(out) as { sessions: readonly { session: { state: string; why: string | null } }[] })
        .sessions[0]?.session;
    };
    await until(async () => (await held())?.state === 'halted', 'the session at its gate');
    const [run = ''] = runs;
    const shown = JSON.parse((await there('runs', 'show', run, '--json')).out) as {
      path: readonly { block: string }[];
    };
    expect(shown.path.map(({ block }) => block)).toEqual(['Fix__Edit']);
    expect((await there('resume', run, '--proceed')).code).toBe(0);
    expect((await held())?.state).toBe('ready');
    expect(at.gitIn(other, 'show', `${branch}:.robo/session.json`)).toContain(run);
  } finally {
    await there('host', 'stop', '--force');
  }
});

test('what a person changes by hand holds up others, and lets them go when it is taken back', async () => {
  verifies('worktrees.clash.real', 'worktrees.queue.by-itself');
  at = await sessionProject();
  at.openGate();
  expect((await at.robosmith('sessions', 'new', 'Hand')).code).toBe(0);
  const place = worktreeOf(await at.session('Hand'));
  writeFileSync(path.join(place, 'src/a.txt'), 'by hand\n');
  const asked = await at.robosmith('run', 'Fix', '--session', 'Alpha', '--plan', 'src/a.txt', '--detach', '--trust');
  expect([asked.code, asked.err]).toEqual([0, expect.stringContaining('is queued: waits for Hand')]);
  at.gitIn(place, 'checkout', '--quiet', '--', 'src/a.txt');
  await at.untilState('Alpha', 'ready');
});

test('a session for a person that waits says for whom, and begins by itself when that one is over', async () => {
  verifies('worktrees.queue.by-itself');
  at = await sessionProject();
  expect((await at.robosmith('sessions', 'new', 'Mine', '--plan', 'src/a.txt')).code).toBe(0);
  const made = await at.robosmith('sessions', 'new', 'Yours', '--plan', 'src/a.txt');
  expect(made.out).toMatch(/Yours \(s[0-9a-f]+\) is queued\n +waits for Mine \(s[0-9a-f]+\): src\/a\.txt\n/);
  const [mine, yours] = [await at.session('Mine'), await at.session('Yours')];
  const shown = await at.robosmith('sessions', 'show', 'Yours');
  expect(shown.err).toContain(`robosmith sessions show ${mine.id}\n  robosmith sessions withdraw ${yours.id}`);
  expect((await at.robosmith('sessions', 'discard', 'Mine', '--yes')).code).toBe(0);
  expect((await at.untilState('Yours', 'ready')).worktree).not.toBeNull();
});

test('one whose turn has come while no host runs says what begins it', async () => {
  verifies('worktrees.queue.by-itself');
  at = await sessionProject();
  await at.robosmith('sessions', 'new', 'Mine', '--plan', 'src/a.txt');
  const place = worktreeOf(await at.session('Mine'));
  await at.robosmith('sessions', 'change', 'Mine', '--plan', 'none');
  expect((await at.session('Mine')).plan).toEqual([]);
  writeFileSync(path.join(place, 'src/a.txt'), 'by hand\n');
  const queued = await at.robosmith('sessions', 'new', 'Yours', '--plan', 'src/a.txt');
  expect(queued.code).toBe(0);
  // The queued session has started a host, which would begin it.
  await at.robosmith('host', 'stop');
  at.gitIn(place, 'checkout', '--quiet', '--', 'src/a.txt');
  const listed = await at.robosmith('sessions');
  expect(listed.out).toContain('it is next in the queue: start it with robosmith host start');
  expect(listed.err).toContain('robosmith host start\n');
  // Any command that starts a host starts queued sessions; submitting one that is already queued is accepted.
  const submitted = await at.robosmith('sessions', 'submit', 'Yours');
  expect([submitted.code, submitted.err]).toEqual([0, '']);
  await at.untilState('Yours', 'ready');
});

test('a host hears of it when the manifest lets more of them run', async () => {
  verifies('worktrees.queue.by-itself');
  at = await sessionProject({ ...MANIFEST, max_parallel: 1 });
  expect((await at.robosmith('run', 'Fix', '--session', 'Alpha', '--detach', '--trust')).code).toBe(0);
  const second = await at.robosmith('run', 'Fix', '--session', 'Beta', '--detach');
  expect(second.err).toContain('is queued: waits for a free slot: the maximum of parallel sessions is running');
  at.write('.vision/workflows.json', JSON.stringify({ ...MANIFEST, max_parallel: 2 }));
  await at.untilState('Beta', 'running');
  // Alpha still runs, because its work waits for the gate.
  expect((await at.session('Alpha')).state).toBe('running');
  at.openGate();
  await at.untilState('Beta', 'ready');
});

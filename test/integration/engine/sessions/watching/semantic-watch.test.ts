import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import { rememberTrust } from '#io/user/trust-store.ts';
import type { SessionId } from '#protocol/id.ts';
import type { FoundClash } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import { readOverlaps } from '../../../../../src/engine/sessions/watching/overlap-store.ts';
import { createSemanticWatch } from '../../../../../src/engine/sessions/watching/semantic-watch.ts';
import { trustHash } from '../../../../../src/engine/trust/executable.ts';
import { verifyingGraph } from '../../../../../src/engine/trust/what-verifies.ts';
import { whatWouldRun } from '../../../../../src/engine/trust/what-would-run.ts';

/** A check that fails on files that contain `greet` unless src/a.txt does so as well, and names those files. */
const CHECK = `import { readdirSync, readFileSync } from 'node:fs';
const names = readdirSync('src').filter((name) => readFileSync('src/' + name, 'utf8').includes('greet') && !readFileSync('src/a.txt', 'utf8').includes('greet'));
for (const name of names) console.log('src/' + name + ': no greet');
process.exitCode = names.length > 0 ? 1 : 0;
`;

const MANIFEST = {
  version: 1,
  commands: { check: ['node', 'check.mjs'] },
  workers: { 'Worker:A': { kind: 'command', command: ['node', '-e', '0'] } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:A' } } } },
};

const [RENAMES, USES] = ['s00000001' as SessionId, 's00000002' as SessionId];

const CLASH: FoundClash = {
  kind: 'renamed',
  name: 'greet',
  why: 'it is welcome now',
  changer: 'ours',
  change: { file: 'src/a.txt', line: 1, text: 'welcome' },
  use: { file: 'src/b.txt', line: 1, text: 'greet' },
};

let root: string;
let environment: Readonly<Record<string, string>>;
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: root,
    encoding: 'utf8',
  });

/** Returns the commit of a branch from main with these files. */
function branch(name: string, files: Readonly<Record<string, string>>): string {
  git('checkout', '--quiet', '-b', name, 'main');
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, file), text);
  git('add', '--all');
  git('commit', '--quiet', '--message', name);
  const commit = git('rev-parse', 'HEAD').trim();
  git('checkout', '--quiet', 'main');
  return commit;
}

beforeEach(() => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-semantic-')));
  root = path.join(base, 'project');
  environment = { ...(process.env as Record<string, string>), ROBOSMITH_CONFIG_DIR: path.join(base, 'config') };
  for (const folder of ['.vision', '.flow', 'src']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, '.vision', 'workflows.json'), JSON.stringify(MANIFEST));
  writeFileSync(path.join(root, '.gitignore'), '.flow/\n');
  writeFileSync(path.join(root, 'check.mjs'), CHECK);
  writeFileSync(path.join(root, 'src', 'a.txt'), 'greet\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'one');
});

afterEach(() => rmSync(path.dirname(root), { recursive: true, force: true, maxRetries: 5 }));

const trust = async (): Promise<void> => {
  const graph = await verifyingGraph({ job: null, resolving: null }, root);
  await rememberTrust(trustHash(root, await whatWouldRun(graph, root)), root, environment);
};

function watch(found: readonly FoundClash[] | null) {
  const compared: string[] = [];
  const processes = createProcesses();
  const semantics = createSemanticWatch({
    root,
    folder: path.join(root, '.flow'),
    calls: fileCalls,
    git: createGit(processes),
    processes,
    environment,
    now: () => 0,
    newId: () => '0',
    warn: (message) => expect.unreachable(message),
    verdicts: {
      compare: (_worktree, ours, theirs) => {
        compared.push(`${ours} ${theirs}`);
        return Promise.resolve(found);
      },
    },
    session: (id) => ({ id, worktree: null, job: null, resolving: null }) as unknown as Session,
    onFound: () => undefined,
  });
  return { semantics, compared };
}

const heads = (ours: string, theirs: string) => new Map([[RENAMES, ours] as const, [USES, theirs] as const]);

const stored = () => [...readOverlaps(fileCalls, path.join(root, '.flow')).values()];

describe('the comparison of sessions beyond what git can see', () => {
  test('a clash is proved by the check of the merged files, and kept for the pair of commits', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/a.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics, compared } = watch([CLASH]);
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    expect(compared).toEqual([`${ours} ${theirs}`]);
    expect(stored()).toEqual([{ sessions: [RENAMES, USES], clashes: [{ ...CLASH, standing: 'proved' }] }]);
    expect(semantics.of(USES)).toMatchObject([{ clashes: [{ changer: RENAMES, standing: 'proved' }] }]);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  test('a clash is withdrawn when the check of the merged files passes', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    expect(stored()).toEqual([{ sessions: [RENAMES, USES], clashes: [] }]);
  });

  test('a check that failed before as well proves nothing', async () => {
    await trust();
    const broken = { 'check.mjs': "console.log('src/b.txt: broken anyway'); process.exitCode = 1;\n" };
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'x\n' }), branch('b', { ...broken, 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'likely' }] }]);
  });

  test('nothing is executed for a manifest that the user has not trusted: the clash stays likely', async () => {
    const ran = path.join(root, '..', 'ran');
    const check = {
      'check.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, '');\n`,
    };
    const [ours, theirs] = [branch('a', check), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'likely' }] }]);
    expect(() => realpathSync(ran)).toThrow('ENOENT');
  });

  test('a pair that can not be compared stays unknown, and is tried again; one in conflict is not compared', async () => {
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'x\n' }), branch('b', { 'src/b.txt': 'y\n' })];
    const { semantics, compared } = watch(null);
    const conflict = { sessions: [RENAMES, USES] as const, files: ['src/b.txt'], hunks: [] };
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [conflict] });
    expect(compared).toEqual([]);
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    await semantics.compare({ heads: heads(ours, theirs), conflicts: [] });
    expect(compared).toHaveLength(2);
    expect(stored()).toEqual([]);
  });

  test('a cache that came with the repository is read as far as it makes sense', () => {
    const file = path.join(root, '.flow', 'overlaps.json');
    for (const text of ['', '{', '[]', '{"version":1,"pairs":[]}', '{"version":1,"pairs":{"a b":{"clashes":{}}}}']) {
      writeFileSync(file, text);
      expect(stored()).toEqual([]);
    }
    const pairs = { 'a b': { sessions: ['s1', 's2'], clashes: [{ kind: 1 }, { ...CLASH, standing: 'likely' }] } };
    writeFileSync(file, JSON.stringify({ version: 1, pairs }));
    expect(stored()).toEqual([{ sessions: ['s1', 's2'], clashes: [{ ...CLASH, standing: 'likely' }] }]);
  });
});

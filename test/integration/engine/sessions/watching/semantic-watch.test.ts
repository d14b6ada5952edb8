import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import { rememberTrust } from '#io/user/trust-store.ts';
import type { SessionId } from '#protocol/id.ts';
import { BASE_SIDE, type FoundClash } from '#protocol/semantic-clash.ts';
import type { Session } from '#protocol/session.ts';
import { readOverlaps } from '../../../../../src/engine/sessions/watching/overlap-store.ts';
import { createSemanticWatch, type SemanticInput } from '../../../../../src/engine/sessions/watching/semantic-watch.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { trustHash } from '../../../../../src/engine/trust/executable.ts';
import { verifyingGraph } from '../../../../../src/engine/trust/list-verifying-commands.ts';
import { listExecutables } from '../../../../../src/engine/trust/list-executables.ts';

/** A check that fails if a file contains `greet` but src/a.txt does not. It names the files that do. */
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

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

/** Creates a branch that starts at main and has these files, and returns its commit. */
function branch(name: string, files: Readonly<Record<string, string>>): string {
  git('checkout', '--quiet', '-b', name, 'main');
  write(files);
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
  await rememberTrust(trustHash(root, await listExecutables(graph, root)), root, environment);
};

function watch(found: readonly FoundClash[] | null, onCompare: () => void = () => undefined) {
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
        onCompare();
        return Promise.resolve(found);
      },
    },
    session: (id) => ({ id, worktree: null, job: null, resolving: null }) as unknown as Session,
    onFound: () => undefined,
  });
  return { semantics, compared };
}

/** The input of a comparison of two sessions whose base has not moved. */
const pair = (ours: string, theirs: string): SemanticInput => ({
  heads: new Map([[RENAMES, ours] as const, [USES, theirs] as const]),
  bases: new Map(),
  conflicts: [],
});

const stored = () => [...readOverlaps(fileCalls, path.join(root, '.flow')).values()];

describe('the comparison of sessions beyond what git can see', () => {
  test('a clash is proved by the check of the merged files, and kept for the pair of commits', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/a.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics, compared } = watch([CLASH]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect(compared).toEqual([`${ours} ${theirs}`]);
    expect(stored()).toEqual([
      { sessions: [RENAMES, USES], clashes: [{ ...CLASH, standing: 'proved' }], isChecked: true },
    ]);
    expect(semantics.of(USES)).toMatchObject([{ clashes: [{ changer: RENAMES, standing: 'proved' }] }]);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  test('a clash is withdrawn when the check of the merged files passes', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect(stored()).toEqual([{ sessions: [RENAMES, USES], clashes: [], isChecked: true }]);
  });

  test('a check that failed before as well proves nothing', async () => {
    await trust();
    const broken = { 'check.mjs': "console.log('src/b.txt: broken anyway'); process.exitCode = 1;\n" };
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'x\n' }), branch('b', { ...broken, 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'likely' }] }]);
  });

  test('nothing is executed for a manifest that the user has not trusted: the clash stays likely', async () => {
    const ran = path.join(root, '..', 'ran');
    const check = {
      'check.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(ran)}, '');\n`,
    };
    const [ours, theirs] = [branch('a', check), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([CLASH]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'likely' }] }]);
    expect(() => realpathSync(ran)).toThrow('ENOENT');
  });

  test('a pair that can not be compared stays unknown, and is tried again; one in conflict is not compared', async () => {
    const [ours, theirs] = [branch('a', { 'src/c.txt': 'x\n' }), branch('b', { 'src/b.txt': 'y\n' })];
    const { semantics, compared } = watch(null);
    const conflict = { sessions: [RENAMES, USES] as const, files: ['src/b.txt'], hunks: [] };
    await semantics.compare({ ...pair(ours, theirs), conflicts: [conflict] });
    expect(compared).toEqual([]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect(compared).toHaveLength(2);
    expect(stored()).toEqual([]);
  });

  test('work is compared with a base that has moved, until the session has all of its commits', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/a.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics } = watch([{ ...CLASH, changer: 'theirs' }]);
    const only = { heads: new Map([[USES, theirs]]), conflicts: [] };
    await semantics.compare({ ...only, bases: new Map([[USES, ours]]) });
    await semantics.checked();
    expect(semantics.of(USES)).toMatchObject([
      { sessions: [USES, BASE_SIDE], clashes: [{ changer: BASE_SIDE, standing: 'proved' }] },
    ]);
    await semantics.compare({ ...only, bases: new Map() });
    expect(stored()).toEqual([]);
  });

  test('a check that is ended is repeated by the next engine', async () => {
    await trust();
    const [ours, theirs] = [branch('a', { 'src/a.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const first = watch([CLASH]);
    await first.semantics.compare(pair(ours, theirs));
    first.semantics.stop();
    await first.semantics.checked();
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'likely' }], isChecked: false }]);
    const next = watch([CLASH]);
    await next.semantics.compare(pair(ours, theirs));
    await next.semantics.checked();
    expect(next.compared).toEqual([]);
    expect(stored()).toMatchObject([{ clashes: [{ standing: 'proved' }], isChecked: true }]);
  });

  test('nothing is stored after the stop: the file may belong to another engine', async () => {
    const [ours, theirs] = [branch('a', { 'src/a.txt': 'welcome\n' }), branch('b', { 'src/b.txt': 'greet\n' })];
    const { semantics, compared } = watch([CLASH], () => semantics.stop());
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    expect({ compared: compared.length, stored: stored() }).toEqual({ compared: 1, stored: [] });
  });

  test('a cache that came with the repository is read as far as it makes sense', () => {
    const file = path.join(root, '.flow', 'overlaps.json');
    for (const text of ['', '{', '[]', '{"version":1,"pairs":[]}', '{"version":1,"pairs":{"a b":{"clashes":{}}}}']) {
      writeFileSync(file, text);
      expect(stored()).toEqual([]);
    }
    const pairs = { 'a b': { sessions: ['s1', 's2'], clashes: [{ kind: 1 }, { ...CLASH, standing: 'likely' }] } };
    writeFileSync(file, JSON.stringify({ version: 1, pairs }));
    expect(stored()).toEqual([
      { sessions: ['s1', 's2'], clashes: [{ ...CLASH, standing: 'likely' }], isChecked: false },
    ]);
  });
});

const here = (name: string): string => path.join(import.meta.dirname, '../../../../..', name);

const hasProgram = (...argv: readonly [string, ...string[]]): boolean =>
  spawnSync(argv[0], argv.slice(1), { stdio: 'ignore' }).status === 0;

interface Project {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The file that is changed, and its text with `greet` renamed. */
  readonly changed: readonly [string, string];
  /** A new file that calls `greet`. */
  readonly use: readonly [string, string];
  /** An error unrelated to the clash, in the file of the use. */
  readonly broken: string;
  readonly isInstalled: boolean;
  readonly runsCode: boolean;
}

const PROJECTS: readonly Project[] = [
  {
    name: 'tsc',
    files: {
      'web/tsconfig.json': '{"compilerOptions":{"strict":true,"module":"nodenext","types":[]},"include":["src"]}',
      'web/src/a.ts': 'export const greet = (name: string): string => name;\n',
    },
    changed: ['web/src/a.ts', 'export const welcome = (name: string): string => name;\n'],
    use: ['web/src/b.ts', "import { greet } from './a.js';\n\nexport const bye = (): string => greet('all');\n"],
    broken: 'export const wrong: number = "text";\n',
    isInstalled: true,
    runsCode: false,
  },
  {
    name: 'go vet',
    files: { 'go.mod': 'module example.com/m\n\ngo 1.18\n', 'a.go': 'package m\n\nfunc greet() int { return 1 }\n' },
    changed: ['a.go', 'package m\n\nfunc welcome() int { return 1 }\n'],
    use: ['b.go', 'package m\n\nvar bye = greet()\n'],
    broken: 'var wrong int = "text"\n',
    isInstalled: hasProgram('go', 'version'),
    runsCode: false,
  },
  {
    name: 'cargo check',
    files: {
      'Cargo.toml': '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub mod a;\npub mod b;\n',
      'src/a.rs': 'pub fn greet() -> i32 { 1 }\n',
      'src/b.rs': '',
    },
    changed: ['src/a.rs', 'pub fn welcome() -> i32 { 1 }\n'],
    use: ['src/b.rs', 'pub fn bye() -> i32 { crate::a::greet() }\n'],
    broken: 'pub fn wrong() -> i32 { "text" }\n',
    isInstalled: hasProgram('cargo', '--version'),
    runsCode: true,
  },
];

/** A worker whose command runs the code of a Rust project. */
const TRUSTED = { 'Worker:Tests': { kind: 'command', command: ['cargo', 'test'] } };

describe.each(PROJECTS)('a project that has $name', ({ files, changed, use, broken, isInstalled, runsCode }) => {
  const clash = { ...CLASH, change: { ...CLASH.change, file: changed[0] }, use: { ...CLASH.use, file: use[0] } };

  /** Replaces the project by one without a `check` command, and marks it as trusted. */
  const begin = async (more: object = {}): Promise<void> => {
    const { version, workers, nodes } = MANIFEST;
    const manifest = { version, workers: { ...workers, ...more }, nodes };
    rmSync(path.join(root, 'check.mjs'));
    write({ ...files, '.vision/workflows.json': JSON.stringify(manifest), '.gitignore': '.flow/\nnode_modules\n' });
    mkdirSync(path.join(root, 'node_modules'));
    symlinkSync(here('node_modules/typescript'), path.join(root, 'node_modules', 'typescript'), 'junction');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'two');
    await trust();
  };

  const standings = async (ours: string, theirs: string): Promise<unknown> => {
    const { semantics } = watch([clash]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    return stored().map(({ clashes }) => clashes.map(({ standing }) => standing));
  };

  test.skipIf(!isInstalled)('a clash is proved by it, and withdrawn if the merged files are fine', async () => {
    verifies('worktrees.clash.proved');
    await begin(TRUSTED);
    const [renames, keeps] = [branch('a', { [changed[0]]: changed[1] }), branch('c', { 'other.txt': 'x\n' })];
    const uses = branch('b', { [use[0]]: use[1] });
    expect(await standings(renames, uses)).toEqual([['proved']]);
    expect(await standings(keeps, uses)).toEqual([['proved'], []]);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  test.skipIf(!isInstalled)('an error that a branch has already proves nothing', async () => {
    verifies('worktrees.clash.proved');
    await begin(TRUSTED);
    const keeps = branch('c', { 'other.txt': 'x\n' });
    const uses = branch('b', { [use[0]]: use[1] + broken });
    expect(await standings(keeps, uses)).toEqual([['likely']]);
  });

  test.skipIf(!isInstalled)(
    'it runs code of the project only if a trusted command starts the same program',
    async () => {
      verifies('worktrees.clash.proved');
      await begin();
      const [renames, uses] = [branch('a', { [changed[0]]: changed[1] }), branch('b', { [use[0]]: use[1] })];
      expect(await standings(renames, uses)).toEqual([[runsCode ? 'likely' : 'proved']]);
    },
  );
});

describe('a guessed checker', () => {
  const [tsc] = PROJECTS;
  const { version, workers, nodes } = MANIFEST;

  const standingOf = async (kind: string): Promise<unknown> => {
    if (tsc === undefined) throw new Error('there is no project');
    write({ ...tsc.files, '.vision/workflows.json': JSON.stringify({ version, workers, nodes }) });
    const [ours, theirs] = [branch('a', { 'other.txt': 'x\n' }), branch('b', { [tsc.use[0]]: tsc.use[1] })];
    mkdirSync(path.join(root, 'node_modules'));
    symlinkSync(here('node_modules/typescript'), path.join(root, 'node_modules', 'typescript'), 'junction');
    const { semantics } = watch([{ ...CLASH, kind, use: { ...CLASH.use, file: tsc.use[0] } }]);
    await semantics.compare(pair(ours, theirs));
    await semantics.checked();
    return stored().map(({ clashes, isChecked }) => [clashes.map(({ standing }) => standing), isChecked]);
  };

  test('does not run for a manifest that the user has not trusted', async () => {
    expect(await standingOf('renamed')).toEqual([[['likely'], false]]);
  });

  test('judges no change of a value, which it can not see', async () => {
    write({ '.vision/workflows.json': JSON.stringify({ version, workers, nodes }) });
    await trust();
    expect(await standingOf('value')).toEqual([[['likely'], false]]);
  });
});

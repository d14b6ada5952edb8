import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Git } from '#io/git/plumbing/git.ts';
import { type MergeVerdict, newProbeCache, probeMerges } from '#io/git/plumbing/merge-probe.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { merges } from '../../../../support/really-merges.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let repository: GitFolder;
beforeEach(async () => {
  base = await newFolder();
  repository = newRepository(path.join(base, 'r'));
  const { put, commit, git } = repository;
  put('f', 'a\nb\nc\n');
  put('ren', Array.from({ length: 30 }, (_, line) => `${line}\n`).join(''));
  put('bin', Uint8Array.from([0, 1, 2]));
  put('run.sh', 'x\n');
  commit('one');
  git('tag', 'start');
});
afterEach(() => removeFolder(base));

/** Creates a branch from `start` with these changes, and returns its commit. */
function branch(name: string, change: (folder: GitFolder) => void): string {
  repository.git('checkout', '-q', '-B', name, 'start');
  change(repository);
  return repository.commit(name);
}

async function verdict(ours: string, theirs: string): Promise<MergeVerdict> {
  const verdicts = await probeMerges(realGit, repository.at, [{ ours, theirs }], newProbeCache());
  expect(verdicts).toHaveLength(1);
  return (verdicts as readonly MergeVerdict[])[0]!;
}

const types = (found: MergeVerdict): readonly string[] =>
  found.kind === 'conflict' ? found.messages.map(({ type }) => type) : [found.kind];

describe('a pair', () => {
  test('that changes other files is clean, and one that changes the same lines shows them', async () => {
    const a = branch('a', ({ put }) => put('f', 'A\nb\nc\n'));
    const b = branch('b', ({ put }) => put('f', 'B\nb\nc\n'));
    const c = branch('c', ({ put }) => put('g', 'g\n'));
    expect((await verdict(a, c)).kind).toBe('clean');
    expect(await verdict(a, b)).toEqual({
      kind: 'conflict',
      files: ['f'],
      messages: [{ type: 'CONFLICT (contents)', text: 'CONFLICT (content): Merge conflict in f', files: ['f'] }],
      hunks: [{ file: 'f', line: 1, text: `<<<<<<< ${a}\nA\n=======\nB\n>>>>>>> ${b}` }],
    });
  });

  test('modified and deleted, renamed twice, binary, and changed in mode', async () => {
    const a = branch('a', ({ git }) => {
      git('rm', '-q', 'f');
      git('mv', 'ren', 'ren-a');
    });
    const b = branch('b', ({ put, git }) => {
      put('f', 'B\nb\nc\n');
      git('mv', 'ren', 'ren-b');
    });
    const found = await verdict(a, b);
    expect(types(found)).toEqual(['CONFLICT (modify/delete)', 'CONFLICT (rename/rename)']);
    expect(found).toMatchObject({ files: ['f', 'ren', 'ren-a', 'ren-b'], hunks: [] });
    const c = branch('c', ({ put }) => put('bin', Uint8Array.from([0, 3])));
    const d = branch('d', ({ put }) => put('bin', Uint8Array.from([0, 4])));
    expect(types(await verdict(c, d))).toEqual(['CONFLICT (binary)', 'CONFLICT (contents)']);
    const e = branch('e', ({ at }) => chmodSync(path.join(at, 'run.sh'), 0o755));
    const f = branch('f2', ({ put }) => put('run.sh', 'y\n'));
    expect((await verdict(e, f)).kind).toBe('clean');
    const g = branch('g', ({ put, git }) => {
      git('rm', '-q', 'f');
      put('f/inside', 'x\n');
    });
    expect((await verdict(g, b)).kind).toBe('conflict');
  });

  test('that is in conflict over a folder alone, and over no file', async () => {
    verifies('worktrees.clash.textual');
    repository.git('checkout', '-q', '--detach', 'start');
    for (const name of ['one', 'two']) repository.put(`old/${name}`, `${name} is long enough to be found again\n`);
    repository.commit('folder');
    repository.git('tag', '-f', 'start');
    const a = branch('a', ({ at, git }) => {
      for (const name of ['one', 'two']) {
        mkdirSync(path.join(at, `new-${name}`));
        git('mv', `old/${name}`, `new-${name}/${name}`);
      }
    });
    const b = branch('b', ({ put }) => put('old/three', 'x\n'));
    const found = await verdict(a, b);
    expect(found).toMatchObject({ kind: 'conflict', files: [], hunks: [] });
    expect(types(found)).toEqual([expect.stringMatching(/^CONFLICT ?\(directory rename unclear split\)$/) as string]);
    expect(merges(repository, a, b)).toBe(false);
  });

  test('of commits of one submodule that parted', async () => {
    const inner = newRepository(path.join(base, 'inner'));
    const first = inner.commit('i');
    const links: string[] = [];
    for (const name of ['x', 'y']) {
      inner.git('checkout', '-q', '-B', name, first);
      links.push(inner.commit(name));
    }
    const withLink = (name: string, from: string, commit: string): string => {
      repository.git('checkout', '-q', '-B', name, from);
      repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
      repository.git('commit', '-q', '-m', name);
      return repository.git('rev-parse', 'HEAD');
    };
    const root = withLink('root', 'start', first);
    const [x, y] = links.map((link, index) => withLink(`l${index}`, root, link));
    expect(await verdict(x!, y!)).toMatchObject({ kind: 'conflict', files: ['sub'] });
  });

  test('with two merge bases, as a criss-cross leaves', async () => {
    const a = branch('a', ({ put }) => put('f', 'A\nb\nc\n'));
    const b = branch('b', ({ put }) => put('f', 'a\nb\nC\n'));
    repository.git('checkout', '-q', 'a');
    repository.git('merge', '-q', '-m', 'm', b);
    repository.git('checkout', '-q', 'b');
    repository.git('merge', '-q', '-m', 'm', a);
    expect((await verdict('a', 'b')).kind).toBe('clean');
  });

  test('without a common history, or of what is no commit, is refused, and the others have their verdicts', async () => {
    const a = branch('a', ({ put }) => put('f', 'A\n'));
    const b = branch('b', ({ put }) => put('f', 'B\n'));
    repository.git('checkout', '-q', '--orphan', 'lone');
    const lone = repository.commit('lone');
    const pairs = [
      { ours: a, theirs: b },
      { ours: a, theirs: lone },
      { ours: 'nothing\n-x', theirs: a },
      { ours: '--stdin', theirs: a },
      { ours: b, theirs: a },
      { ours: 'start', theirs: a },
    ];
    const verdicts = await probeMerges(realGit, repository.at, pairs, newProbeCache());
    expect((verdicts as MergeVerdict[]).map((one) => ('why' in one ? one.why : one.kind))).toEqual([
      ...['conflict', 'unrelated_histories', 'missing', 'missing', 'conflict', 'clean'],
    ]);
  });

  test('of held sessions does not clash over their states', async () => {
    const a = branch('a', ({ put }) => put('.robo/session.json', '{"a":1}'));
    const b = branch('b', ({ put }) => put('.robo/session.json', '{"b":1}'));
    expect((await verdict(a, b)).kind).toBe('clean');
    const c = branch('c', ({ put }) => {
      put('.robo/session.json', '{"c":1}');
      put('f', 'C\nb\nc\n');
    });
    const d = branch('d', ({ put }) => {
      put('.robo/session.json', '{"d":1}');
      put('f', 'D\nb\nc\n');
    });
    const found = await verdict(c, d);
    expect(found).toMatchObject({ kind: 'conflict', files: ['f'], messages: [{ files: ['f'] }] });
    expect(types(found)).toEqual(['CONFLICT (contents)']);
  });

  test('in files whose names are hostile and whose text is no UTF-8', async () => {
    const name = 'a\nb "ü';
    const bytes = (first: number) => Uint8Array.from([first, 0xff, 0xfe, 10, 60, 10]);
    const a = branch('a', ({ put }) => put(name, bytes(65)));
    const b = branch('b', ({ put }) => put(name, bytes(66)));
    const found = await verdict(a, b);
    expect(found).toMatchObject({ kind: 'conflict', files: [name], hunks: [{ file: name, line: 1 }] });
  });
});

describe('many pairs', () => {
  const counted = (): { git: Git; verbs: string[] } => {
    const verbs: string[] = [];
    return { verbs, git: (folder, args, options) => (verbs.push(args[0]!), realGit(folder, args, options)) };
  };

  test('are one process, and none when they are known', async () => {
    const tips = Array.from({ length: 8 }, (_, index) =>
      branch(`b${index}`, ({ put }) => put('f', `${index % 3}\nb\nc\n`)),
    );
    const pairs = tips.flatMap((ours, index) => tips.slice(index + 1).map((theirs) => ({ ours, theirs })));
    const cache = newProbeCache();
    const { git, verbs } = counted();
    const first = await probeMerges(git, repository.at, pairs, cache);
    expect(verbs.filter((verb) => verb === 'merge-tree')).toHaveLength(1);
    verbs.length = 0;
    expect(await probeMerges(git, repository.at, pairs, cache)).toEqual(first);
    expect(verbs).toEqual(['version', 'cat-file']);
  });

  test('with the same trees and the same merge base are known, and with another merge base are not', async () => {
    verifies('worktrees.probe.cached', 'worktrees.clash.cached');
    const a = branch('a', ({ put }) => put('f', 'A\nb\nc\n'));
    const b = branch('b', ({ put }) => put('f', 'B\nb\nc\n'));
    const cache = newProbeCache();
    await probeMerges(realGit, repository.at, [{ ours: a, theirs: b }], cache);
    repository.git('checkout', '-q', 'a');
    repository.git('commit', '-q', '--amend', '-m', 'other words');
    const { git, verbs } = counted();
    await probeMerges(git, repository.at, [{ ours: 'a', theirs: b }], cache);
    expect(verbs).not.toContain('merge-tree');
    // The trees are equal, but one commit descends from the other, so the cached verdict must not be used.
    repository.git('checkout', '-q', '-B', 'c', a);
    repository.put('f', 'B\nb\nc\n');
    repository.commit('c');
    expect(repository.git('rev-parse', 'c^{tree}')).toBe(repository.git('rev-parse', 'b^{tree}'));
    const [over] = (await probeMerges(git, repository.at, [{ ours: a, theirs: 'c' }], cache)) as MergeVerdict[];
    expect(over!.kind).toBe('clean');
  });

  test.each([
    ['git version 2.37.1', 'git_too_old'],
    ['git version 1.9', 'git_too_old'],
    ['hg', 'git_too_old'],
  ])('%s is too old', async (version, why) => {
    verifies('worktrees.probe.old-git');
    const git: Git = (folder, args, options) =>
      args[0] === 'version'
        ? Promise.resolve({ ok: true, code: 0, out: `${version}\n`, err: '' })
        : realGit(folder, args, options);
    expect(await probeMerges(git, repository.at, [], newProbeCache())).toMatchObject({ kind: 'refused', why });
  });

  test('in git 2.38 are a process each', async () => {
    const a = branch('a', ({ put }) => put('f', 'A\nb\nc\n'));
    const b = branch('b', ({ put }) => put('f', 'B\nb\nc\n'));
    const c = branch('c', ({ put }) => put('g', 'g\n'));
    const verbs: string[] = [];
    const git: Git = (folder, args, options) => {
      verbs.push(args.filter((arg) => arg !== '-z').join(' '));
      if (args[0] === 'version') return Promise.resolve({ ok: true, code: 0, out: 'git version 2.38.4\n', err: '' });
      return realGit(folder, args, options);
    };
    const pairs = [
      { ours: a, theirs: b },
      { ours: a, theirs: c },
    ];
    const one = await probeMerges(git, repository.at, pairs, newProbeCache());
    expect(one).toEqual(await probeMerges(realGit, repository.at, pairs, newProbeCache()));
    expect(verbs.some((verb) => verb.includes('--stdin'))).toBe(false);
  });
});

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clashReport, summary } from '../../support/clash-report.ts';
import { newRepository, type Repository } from '../../support/git-repository.ts';
import { standIn } from '../../support/stand-in-program.ts';

let repository: Repository;
beforeEach(async () => {
  repository = await newRepository();
});
afterEach(() => repository.end());

/** Creates two worktrees that change the same line of `a.txt`. */
function conflicting(): readonly [string, string] {
  const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
  repository.put('a.txt', 'from a\n', a);
  repository.put('a.txt', 'from b\n', b);
  return [a, b];
}

const CONFLICT = 'a x b | conflict | a.txt';

describe('worktrees', () => {
  test('one inside of another is no part of it', async () => {
    const inner = path.join(repository.root, '.claude/worktrees/inner');
    repository.git(['worktree', 'add', '--quiet', '-b', 'inner', inner]);
    repository.put('new.txt', 'new\n', inner);
    const { sides, pairs } = await clashReport(repository.root);
    expect(sides.map(({ name, uncommitted, notes }) => [name, uncommitted, notes])).toEqual([
      ['main', 0, []],
      ['inner', 1, []],
    ]);
    expect(pairs).toEqual([]);
  });

  test('a bare main worktree, a locked, a missing and a detached one', async () => {
    conflicting();
    const bare = repository.at('bare.git');
    repository.git(['clone', '--quiet', '--bare', repository.root, bare]);
    const [one, two, gone] = [repository.at('one'), repository.at('two'), repository.at('gone')];
    for (const [place, branch] of [
      [one, 'one'],
      [gone, 'gone'],
    ] as const)
      repository.git(['worktree', 'add', '--quiet', '-b', branch, place, 'main'], bare);
    repository.git(['worktree', 'add', '--quiet', '--detach', two, 'main'], bare);
    repository.git(['worktree', 'lock', one], bare);
    repository.put('a.txt', 'one\n', one);
    repository.put('a.txt', 'two\n', two);
    rmSync(gone, { recursive: true });
    for (const place of [bare, one]) {
      const report = await clashReport(place);
      expect(summary(report)).toEqual([
        'one x two (detached) | conflict | a.txt',
        expect.stringMatching(/^gone x one \| not_compared \| {2}\| gone: its folder is missing/),
        expect.stringMatching(/^gone x two \(detached\) \| not_compared/),
        expect.stringMatching(/^gone x main \| not_compared/),
      ]);
      expect(report.sides.find(({ name }) => name === 'one')?.locked).toBe(true);
    }
  });

  test('one in the middle of a merge or a rebase is not compared, and never looks clear', async () => {
    const [a, b] = conflicting();
    for (const place of [a, b]) repository.commit('Work', place);
    repository.tryGit(['merge', 'b'], a);
    const merging = await clashReport(repository.root);
    expect(summary(merging)).toContain('a x b | not_compared |  | a: in the middle of a merge');
    repository.git(['merge', '--abort'], a);
    repository.tryGit(['rebase', 'b'], a);
    const rebasing = await clashReport(repository.root);
    expect(rebasing.counts).toMatchObject({ not_compared: 2, clear: 0, no_clash_found: 0 });
    expect(rebasing.pairs[0]?.reason).toBe('a: in the middle of a rebase');
  });

  test('one whose branch has no commit, and one whose files were never checked out', async () => {
    conflicting();
    const orphan = repository.linkedWorktree('orphan', 'orphan');
    repository.git(['switch', '--quiet', '--orphan', 'unborn'], orphan);
    repository.git(['worktree', 'add', '--quiet', '--no-checkout', '-b', 'empty', repository.at('empty')]);
    const report = await clashReport(repository.root);
    expect(report.sides.find(({ branch }) => branch === 'unborn')?.not_compared).toBe('it has no commit yet');
    expect(report.sides.find(({ branch }) => branch === 'empty')).toMatchObject({ commits: 0, uncommitted: 0 });
    expect(summary(report)[0]).toBe(CONFLICT);
  });

  test('hidden edits are seen: assume-unchanged and skip-worktree', async () => {
    const [a, b] = conflicting();
    repository.git(['update-index', '--assume-unchanged', 'a.txt'], a);
    repository.git(['update-index', '--skip-worktree', 'a.txt'], b);
    expect(repository.git(['status', '--porcelain'], a) + repository.git(['status', '--porcelain'], b)).toBe('');
    expect(summary(await clashReport(repository.root))).toEqual([CONFLICT]);
  });

  test('a sparse one has the files that are not checked out', async () => {
    const [a] = conflicting();
    repository.git(['sparse-checkout', 'set', '--no-cone', '/a.txt'], a);
    const { sides } = await clashReport(repository.root);
    expect(sides.find(({ name }) => name === 'a')).toMatchObject({ uncommitted: 1, not_compared: null });
  });

  test('hostile names of branches and files', async () => {
    const names = [
      '--help',
      '-rf',
      'with space',
      'tab\there',
      'new\nline',
      '"quoted"',
      "it's",
      'ünïcödé',
      '\u001b[31mred',
      ':(glob)**',
    ];
    const a = repository.at('-dash "q" \n x');
    repository.git(['worktree', 'add', '--quiet', '-b', 'fix/"quote"-\u0085-é', '--', a]);
    const b = repository.linkedWorktree('b', 'b');
    for (const name of names) {
      writeFileSync(path.join(a, name), `a ${name}\n`);
      writeFileSync(path.join(b, name), `b ${name}\n`);
    }
    const [pair] = (await clashReport(repository.root)).pairs;
    expect(pair?.verdict).toBe('conflict');
    expect(pair?.files).toEqual([...names].sort());
  });
});

describe('histories', () => {
  test('no common commit, and a shallow clone', async () => {
    const [a] = conflicting();
    repository.git(['checkout', '--quiet', 'a.txt'], a);
    repository.git(['switch', '--quiet', '--orphan', 'other'], a);
    repository.put('x.txt', 'x\n', a);
    repository.commit('Other root', a);
    const report = summary(await clashReport(repository.root));
    expect(report).toContain('b x other | not_compared |  | no common history');
    for (const text of ['1', '2', '3']) {
      repository.put('a.txt', text);
      repository.commit(text);
    }
    const shallow = repository.at('shallow');
    repository.git(['clone', '--quiet', '--depth=1', '--no-single-branch', `file://${repository.root}`, shallow]);
    repository.git(['branch', 'b', 'origin/b'], shallow);
    repository.git(['config', 'user.name', 'Ada'], shallow);
    repository.git(['config', 'user.email', 'a@example.invalid'], shallow);
    repository.git(['worktree', 'add', '--quiet', repository.at('shallow-b'), 'b'], shallow);
    repository.put('b.txt', 'b', repository.at('shallow-b'));
    expect(summary(await clashReport(shallow))[0]).toMatch(/not_compared .* no common commit in this shallow clone/);
  });

  test('criss-cross: the verdict is that of git', async () => {
    const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
    repository.put('a.txt', 'one\n', a);
    repository.put('a.txt', 'two\n', b);
    const [one, two] = [repository.commit('One', a), repository.commit('Two', b)];
    for (const [place, other, text] of [
      [a, two, 'one\n'],
      [b, one, 'two\n'],
    ] as const) {
      repository.tryGit(['merge', '--no-commit', other], place);
      repository.put('a.txt', text, place);
      repository.commit('Cross', place);
    }
    repository.put('a.txt', 'a\n', a);
    repository.put('own.txt', 'a\n', a);
    repository.commit('As on the base', a);
    expect(repository.git(['merge-base', '--all', 'a', 'b']).split('\n')).toHaveLength(2);
    expect(summary(await clashReport(repository.root))).toEqual([CONFLICT]);
  });

  test('each is compared with the base that its upstream names', async () => {
    repository.git(['switch', '--quiet', '--create', 'release']);
    repository.put('a.txt', 'release\n');
    repository.commit('Release');
    repository.git(['switch', '--quiet', 'main']);
    const fix = repository.at('fix');
    repository.git(['worktree', 'add', '--quiet', '--track', '-b', 'fix', fix, 'main']);
    repository.git(['branch', '--set-upstream-to=release'], fix);
    repository.put('a.txt', 'fix\n', fix);
    const { sides } = await clashReport(repository.root);
    expect(sides.find(({ name }) => name === 'fix')?.base).toBe('release');
    expect(summary(await clashReport(repository.root))).toEqual(['fix x release | conflict | a.txt']);
  });

  test('a partial clone fetches nothing', async () => {
    conflicting().forEach((place) => repository.commit('Work', place));
    repository.git(['config', 'uploadpack.allowFilter', 'true']);
    const partial = repository.at('partial');
    repository.git(['clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${repository.root}`, partial]);
    const before = repository.git(['count-objects', '-v'], partial);
    const report = await clashReport(partial, { only: ['origin/a', 'origin/b'] });
    expect(summary(report)[0]).toMatch(/not_compared .* this partial clone lacks some of their files/);
    expect(repository.git(['count-objects', '-v'], partial)).toBe(before);
  });
});

describe('contents', () => {
  test('binary files, and submodules by their commits', async () => {
    const library = await newRepository({ name: 'library' });
    repository.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', library.root, 'lib']);
    repository.put('logo.png', new Uint8Array([0, 1, 2, 3]));
    repository.commit('Binary and submodule');
    const [a, b] = conflicting();
    repository.git(['checkout', 'a.txt'], a);
    repository.put('logo.png', new Uint8Array([0, 9]), a);
    repository.put('logo.png', new Uint8Array([0, 8]), b);
    const [binary] = (await clashReport(repository.root)).pairs;
    expect([binary?.verdict, binary?.files, binary?.reason]).toEqual([
      'conflict',
      ['logo.png'],
      'both change a binary file',
    ]);
    for (const [place, text] of [
      [a, 'x'],
      [b, 'y'],
    ] as const) {
      library.put('x.txt', text);
      const commit = library.commit(text);
      repository.git(['checkout', 'logo.png', 'a.txt'], place);
      repository.git(['update-index', '--cacheinfo', `160000,${commit},lib`], place);
      library.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    }
    const [submodule] = (await clashReport(repository.root)).pairs;
    expect([submodule?.verdict, submodule?.files]).toEqual(['conflict', ['lib']]);
    await library.end();
  });

  test('no filter, merge driver, hook or monitor of the repository runs', async () => {
    const traces = repository.at('traces');
    const leave = `sh -c 'echo ran >> ${traces}; cat'`;
    repository.put('.gitattributes', '*.big filter=lfs\n*.sec filter=secret\n*.gen merge=theirs\n');
    for (const name of ['x.big', 'x.sec', 'x.gen']) repository.put(name, 'first\n');
    repository.commit('Attributes');
    const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
    for (const [key, value] of [
      ['filter.lfs.clean', leave],
      ['filter.lfs.process', leave],
      ['filter.lfs.required', 'true'],
      ['filter.secret.clean', leave],
      ['merge.theirs.driver', `echo ran >> ${traces}`],
      ['core.fsmonitor', leave],
      ['diff.external', leave],
    ] as const)
      repository.git(['config', key, value]);
    for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout'])
      repository.hook(hook, `echo ran >> ${traces}`);
    rmSync(traces, { force: true });
    const verdicts: (string | undefined)[] = [];
    for (const name of ['x.big', 'x.sec', 'x.gen']) {
      repository.put(name, 'from a\n', a);
      repository.put(name, 'from b\n', b);
      verdicts.push(summary(await clashReport(repository.root))[0]);
      repository.put(name, 'first\n', a);
      repository.put(name, 'first\n', b);
    }
    expect(verdicts).toEqual([
      'a x b | conflict | x.big',
      'a x b | not_compared |  | x.sec goes through a filter, which is not run',
      'a x b | not_compared |  | x.gen is merged by the driver theirs, which is not run',
    ]);
    expect(() => rmSync(traces)).toThrow('ENOENT');
  });

  test('files that Git LFS has checked out are the same as their pointers', async () => {
    repository.git(['config', 'filter.lfs.clean', 'git-lfs-is-away clean -- %f']);
    repository.put('.gitattributes', '*.big -filter\n');
    const pointer =
      'version https://git-lfs.github.com/spec/v1\noid sha256:3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3\nsize 8\n';
    repository.put('x.big', pointer);
    repository.commit('Pointer');
    const a = repository.linkedWorktree('a', 'a');
    repository.put('.gitattributes', '*.big filter=lfs\n', a);
    repository.git(['-c', 'filter.lfs.clean=', 'commit', '--quiet', '-am', 'Attributes'], a);
    repository.put('x.big', 'content\n', a);
    const { sides } = await clashReport(repository.root);
    expect(sides.find(({ name }) => name === 'a')?.uncommitted).toBe(1);
    repository.put('x.big', 'data 12\n', a);
    expect((await clashReport(repository.root)).sides.find(({ name }) => name === 'a')?.uncommitted).toBe(1);
  });

  test('an untracked repository inside is left out, and said', async () => {
    const [a] = conflicting();
    mkdirSync(path.join(a, 'vendor'));
    repository.git(['init', '--quiet', path.join(a, 'vendor/tool')]);
    writeFileSync(path.join(a, 'vendor/tool/x'), 'x');
    repository.git(
      ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '--quiet', '--allow-empty', '-m', 'x'],
      path.join(a, 'vendor/tool'),
    );
    const { sides } = await clashReport(repository.root);
    expect(sides.find(({ name }) => name === 'a')?.notes).toEqual([
      'not compared, because too large, too many or of another repository: 1 untracked path such as vendor/tool/',
    ]);
  });
});

test('a git before 2.38 merges in a scratch index, with the same verdicts', async () => {
  const [a, b] = conflicting();
  const c = repository.linkedWorktree('c', 'c');
  repository.put('src/b.txt', ['b', '1', '2', '3', '4', '5', ''].join('\n'));
  repository.commit('Longer');
  for (const place of [a, b, c]) repository.git(['merge', '--quiet', 'main', '--no-edit'], place);
  repository.put('src/b.txt', ['B', '1', '2', '3', '4', '5', ''].join('\n'), b);
  repository.put('src/b.txt', ['b', '1', '2', '3', '4', '5!', ''].join('\n'), c);
  const real = repository.git(['--exec-path']);
  const old = repository.at('old-git');
  standIn(
    old,
    'git',
    `
for one in "$@"; do
  case "$one" in
    version) echo 'git version 2.34.1'; exit 0 ;;
    merge-tree) echo 'usage: git merge-tree <base-tree> <branch1> <branch2>' >&2; exit 129 ;;
    worktree|cat-file) for other in "$@"; do [ "$other" = -z ] && { echo "error: unknown switch z" >&2; exit 129; }; done ;;
  esac
done
exec '${real}/git' "$@"`,
  );
  const environment = { ...process.env, PATH: `${old}:${process.env['PATH'] ?? ''}` };
  const now = await clashReport(repository.root);
  expect(summary(await clashReport(repository.root, {}, environment))).toEqual(summary(now));
  expect(summary(now)).toEqual([CONFLICT, 'b x c | same_file | src/b.txt', 'a x c | no_clash_found']);
});

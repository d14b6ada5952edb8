import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clashReport, summary } from '../../support/clash-report.ts';
import { newRepository, type Repository } from '../../support/git-repository.ts';

let repository: Repository;
beforeEach(async () => {
  repository = await newRepository();
  repository.put('src/sum.ts', 'export function total(a: number): number {\n  return a;\n}\n');
  repository.put('src/nav.ts', ['one', 'two', 'three', 'four', 'five', 'six', 'seven', ''].join('\n'));
  repository.commit('Sources');
});
afterEach(() => repository.end());

describe('verdicts about worktrees', () => {
  test('a conflict names both lines, with uncommitted and untracked work', async () => {
    const [login, nav] = [
      repository.linkedWorktree('login', 'feature/login'),
      repository.linkedWorktree('nav', 'fix-nav'),
    ];
    repository.put('src/nav.ts', 'zero\none\ntwo\nLOGIN\nfour\nfive\nsix\nseven\n', login);
    repository.commit('Log in', login);
    repository.put('src/nav.ts', 'one\ntwo\nNAV\nfour\nfive\nsix\nseven\n', nav);
    repository.put('same.txt', 'login\n', login);
    repository.put('same.txt', 'nav\n', nav);

    const report = await clashReport(repository.root);

    expect(summary(report)).toEqual(['feature/login x fix-nav | conflict | same.txt src/nav.ts']);
    expect(report.sides.map(({ name, commits, uncommitted }) => [name, commits, uncommitted])).toEqual([
      ['main', null, 0],
      ['feature/login', 1, 1],
      ['fix-nav', 0, 2],
    ]);
    const only = await clashReport(repository.root, { only: ['login', 'fix-nav'] });
    expect(summary(only)).toEqual(summary(report));
  });

  test('the places of a conflict are the lines of each side', async () => {
    const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
    repository.put('src/nav.ts', 'zero\none\ntwo\nMINE\nfour\nfive\nsix\nseven\n', a);
    repository.put('src/nav.ts', 'one\ntwo\nTHEIRS\nfour\nfive\nsix\nseven\n', b);
    const [pair] = (await clashReport(repository.root)).pairs;
    expect(pair?.places.map(({ side, line, text }) => `${side}:${line ?? ''} ${text}`)).toEqual([
      'a:4 MINE',
      'b:3 THEIRS',
    ]);
  });

  test('a broken use is a likely clash, files in common merge, and a moved base is compared', async () => {
    const rename = repository.linkedWorktree('rename', 'chore/rename');
    const report = repository.linkedWorktree('report', 'feature/report');
    repository.put('src/sum.ts', 'export function sumOf(a: number): number {\n  return a;\n}\n', rename);
    repository.put('src/report.ts', "import { total } from './sum.ts';\nexport const r = total(1);\n", report);
    repository.put('src/nav.ts', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n', report);
    repository.put('src/nav.ts', 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    repository.commit('Move on');

    const found = await clashReport(rename);

    expect(summary(found)).toEqual([
      'chore/rename x feature/report | clash_likely | src/report.ts',
      'feature/report x main | same_file | src/nav.ts',
      'chore/rename x main | no_clash_found',
    ]);
    const places = found.pairs[0]?.clashes[0]?.places.map(({ side, file, line }) => `${side} ${file}:${line ?? ''}`);
    expect(places).toEqual(['chore/rename src/sum.ts:1', 'feature/report src/report.ts:1']);
    const { definitions } = JSON.parse(readFileSync('schemas/response.schema.json', 'utf8')) as object & {
      definitions: object;
    };
    const schema = { $ref: '#/definitions/clashReport', definitions };
    expect(new Ajv({ strict: false }).validate(schema, found)).toBe(true);
  });

  test('sides whose work is already merged are compared with nothing', async () => {
    const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
    for (const [place, text] of [
      [a, 'MINE'],
      [b, 'THEIRS'],
    ] as const) {
      repository.put('src/nav.ts', `one\ntwo\n${text}\nfour\nfive\nsix\nseven\n`, place);
      repository.commit('Work', place);
    }
    expect(summary(await clashReport(repository.root))).toEqual(['a x b | conflict | src/nav.ts']);
    repository.git(['merge', '-q', '--no-ff', '-m', 'a', 'a']);
    repository.git(['merge', '-q', '--no-ff', '-X', 'ours', '-m', 'b', 'b']);
    expect(summary(await clashReport(repository.root))).toEqual([]);
    expect(summary(await clashReport(repository.root, { only: ['a', 'b'] }))).toEqual([
      'a x b | conflict | src/nav.ts',
    ]);
  });

  test('a squash, a cherry-pick and uncommitted work that the base has are merged work', async () => {
    const [squashed, picked, dirty, open] = ['squashed', 'picked', 'dirty', 'open'].map((name) =>
      repository.linkedWorktree(name, name),
    ) as [string, string, string, string];
    for (const [place, line] of [
      [squashed, 'one'],
      [picked, 'seven'],
    ] as const) {
      repository.put('src/nav.ts', readFileSync(`${place}/src/nav.ts`, 'utf8').replace(line, `${line}!`), place);
      repository.commit('Work', place);
      repository.put(`${line}.txt`, 'more\n', place);
      repository.commit('More work', place);
    }
    repository.put('a.txt', 'dirty\n', dirty);
    repository.put('src/nav.ts', 'one?\ntwo\nthree\nfour\nfive\nsix\nseven?\n', open);
    repository.git(['merge', '-q', '--squash', 'squashed']);
    repository.commit('Squashed');
    repository.git(['cherry-pick', 'picked~1', 'picked']);
    repository.put('a.txt', 'dirty\n');
    repository.commit('The same by hand');

    const report = await clashReport(repository.root);

    expect(summary(report)).toEqual(['main x open | conflict | src/nav.ts']);
    const notes = report.sides.flatMap((side) => side.notes.map((note) => `${side.name}: ${note}`));
    expect(notes).toEqual(['dirty', 'picked', 'squashed'].map((name) => `${name}: main already has all of its work`));
    // A branch that is ahead of main is still compared, although it contains all of main.
    repository.git(['merge', '-q', 'main'], picked);
    repository.put('src/nav.ts', 'ahead\n', picked);
    expect(summary(await clashReport(repository.root))).toContain('open x picked | conflict | src/nav.ts');
  });

  test('renames are merged by git, although the sides changed different paths', async () => {
    const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
    repository.git(['mv', 'src/nav.ts', 'src/menu.ts'], a);
    repository.put('src/menu.ts', 'MENU\ntwo\nthree\nfour\nfive\nsix\nseven\n', a);
    repository.put('src/nav.ts', 'NAV\ntwo\nthree\nfour\nfive\nsix\nseven\n', b);
    expect(summary(await clashReport(repository.root))).toEqual(['a x b | conflict | src/menu.ts']);
    const folder = repository.linkedWorktree('c', 'c');
    repository.git(['rm', '--quiet', 'a.txt'], folder);
    repository.put('a.txt/inner.txt', 'a file became a folder\n', folder);
    repository.put('a.txt', 'changed\n', b);
    expect((await clashReport(repository.root, { only: ['b', 'c'] })).pairs[0]?.verdict).toBe('conflict');
  });

  test('branches without a worktree, and a base that the user names', async () => {
    for (const [name, text] of [
      ['feature/one', 'one'],
      ['feature/two', 'two'],
    ] as const) {
      repository.git(['switch', '--quiet', '--create', name, 'main']);
      repository.put('a.txt', text);
      repository.commit(name);
    }
    repository.git(['switch', '--quiet', 'main']);
    expect(summary(await clashReport(repository.root, { branches: ['feature/*'] }))).toEqual([
      'feature/one x feature/two | conflict | a.txt',
    ]);
    const based = await clashReport(repository.root, { branches: ['feature/one'], base: 'feature/two' });
    expect(summary(based)).toEqual(['feature/one x feature/two | conflict | a.txt']);
    await expect(clashReport(repository.root, { base: 'nope' })).rejects.toThrow('there is no such branch or commit');
    await expect(clashReport(repository.root, { only: ['nope', 'main'] })).rejects.toThrow('there is no worktree');
  });
});

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { project, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const HALT = { FAIL_DEFAULT: 'HALT_AND_FLAG' };
const MANIFEST = {
  version: 1,
  entry: 'Main',
  commands: { test: ['npm', 'test'] },
  workers: { 'Worker:Coder': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'Code',
      blocks: {
        Code: { worker: 'Worker:Coder', access: { mode: 'shared' }, on: { SUCCESS: 'JUMP:Test', ...HALT } },
        Test: { worker: 'Internal:TestRunner', on: { SUCCESS: 'RETURN', FAILURE: 'JUMP:Code', ...HALT } },
      },
    },
  },
};
const TESTED = { before: 'merge', require: 'check:test', person_may_bypass: true };
const FILES = { '.vision/answers.json': { '*': [{ signal: 'SIGNAL:SUCCESS' }] } };
const withRules = (rules: readonly object[]) => ({ ...FILES, '.vision/workflows.json': { ...MANIFEST, rules } });

test('rules are proved, or broken by a path that simulate runs', async () => {
  at = await project(withRules([TESTED, { ...TESTED, require: 'person' }]));
  const { code, out } = await at.robosmith('rules', '--json');
  const { ok, rules } = JSON.parse(out) as {
    ok: boolean;
    rules: { verdict: string; path: { block: string; signal: string }[] | null }[];
  };
  expect([code, ok, rules.map(({ verdict }) => verdict)]).toEqual([1, false, ['proved', 'broken']]);
  expect(rules[1]?.path?.map(({ block, signal }) => [block, signal])).toEqual([
    ['Main__Code', 'SIGNAL:SUCCESS'],
    ['Main__Test', 'SIGNAL:SUCCESS'],
  ]);
  expect((await at.robosmith('validate')).code).toBe(2);
  const script = await at.robosmith('rules', '--script', '2');
  await writeFile(at.file('path.json'), script.out);
  const simulated = await at.robosmith('simulate', '--script', 'path.json', '--json');
  expect([simulated.code, (JSON.parse(simulated.out) as { success: boolean }).success]).toEqual([0, true]);
  const review = await at.robosmith('rules', '--script', '1');
  expect([review.code, review.err]).toEqual([2, expect.stringContaining('No path breaks rule 1.')]);
});

test('the bundle for reviewers lists the rules', async () => {
  at = await project(withRules([TESTED]));
  expect((await at.robosmith('export', '--review', 'review')).code).toBe(0);
  expect(await readFile(at.file('review/rules.md'), 'utf8')).toContain(
    'No path reaches merge without check:test since the last change of files',
  );
});

test('coverage writes tests for the rows that no test takes, and they fail when the workflow changes', async () => {
  at = await project(withRules([]));
  const before = await at.robosmith('coverage');
  expect([before.code, before.out]).toEqual([1, expect.stringContaining('0 of 5 rows are taken by a test.')]);
  expect((await at.robosmith('coverage', '--write')).code).toBe(0);
  const names = await readdir(at.file('.vision/tests'));
  expect((await at.robosmith('coverage', '--write')).out).toContain('5 of 5 rows are taken by a test.');
  expect(await readdir(at.file('.vision/tests'))).toEqual(names);
  expect((await at.robosmith('test')).code).toBe(0);
  const changed = structuredClone(MANIFEST);
  changed.nodes.Main.blocks.Test.on.FAILURE = 'HALT_AND_FLAG';
  await writeFile(at.file('.vision/workflows.json'), JSON.stringify(changed));
  const after = await at.robosmith('test');
  expect(after.code).toBe(1);
  expect(after.out).toMatch(/- 3\. Main__Code:\w+ {2}expected\n {2}\+ 3\. the path ends/);
});

test('a test names blocks of the manifest and a known end', async () => {
  at = await project({
    ...withRules([]),
    '.vision/tests/wrong.json': { '@test': { path: ['Main__Cod'], end: 'done' } },
  });
  const { code, err } = await at.robosmith('test');
  expect(code).toBe(2);
  expect(err).toMatch(/RS5006[\s\S]*Did you mean "Main__Code"/);
  expect(err).toContain('RS5007');
});

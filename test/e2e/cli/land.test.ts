import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LandingPlan, LandingReport } from '#protocol/landing-report.ts';
import { addBranch, addTests } from '../../integration/engine/sessions/landing/tested-project.ts';
import { type GitProject, gitProject } from './git-project.ts';

let at: GitProject;
beforeEach(async () => {
  at = await gitProject();
  const repository = {
    git: at.git,
    at: (name: string) => at.file(`../${name}`),
    put: (name: string, text: string) => writeFileSync(at.file(name), text),
    commit: (message: string) => {
      at.git(['add', '--all']);
      at.git(['commit', '--quiet', `--message=${message}`]);
    },
  };
  addTests(repository);
  for (const name of ['one', 'two', 'four']) addBranch(repository, name);
});
afterEach(() => at.remove());

const FORBIDDEN = /\b(?:overlap|health|node|block|signal|semantic)s?\b/i;

test('land shows its plan, lands what goes together, and takes it back', async () => {
  const before = at.git(['rev-parse', 'main']);
  const plan = await at.json<LandingPlan>('land', 'one', 'two', 'four', '--plan');
  expect(plan).toMatchObject({ ok: true, base: 'main', from: before, conflicts: [], left: [], tests: 'make test' });
  expect((await at.robosmith('land', '--plan', '--all')).out).toContain('Nothing to land on main');
  expect(at.git(['rev-parse', 'main'])).toBe(before);

  const { out, code } = await at.robosmith('land', 'one', 'two', 'four');
  expect(code).toBe(1);
  expect(out).not.toMatch(FORBIDDEN);
  expect(out).toMatch(/^✗ 1 2 3 {3}1 of 2 fails: two and four/m);
  expect(out).toMatch(/^✓ landed {3}one, two$/m);
  expect(out).toMatch(/^✗ back {5}four {3}passes alone, fails together with two$/m);
  expect(out).toContain('  robosmith land --undo  main back to ' + before.slice(0, 7));
  expect(at.git(['log', '--format=%s', '-2'])).toBe('two\none');

  expect((await at.robosmith('land', '--undo')).out).toContain('undone  main');
  expect(at.git(['rev-parse', 'main'])).toBe(before);
  expect(await at.robosmith('land', '--undo')).toMatchObject({ code: 1 });
});

test('a limit of test runs is kept, and what has passed lands', async () => {
  const report = await at.json<LandingReport>('land', 'one', 'two', 'four', '--max-runs', '2');
  expect(report.runs.length).toBeLessThanOrEqual(2);
  expect(report.back.every(({ why }) => why.kind === 'undecided')).toBe(true);
  expect(readFileSync(at.file('../RUNS'), 'utf8').split('\n')).toHaveLength(report.runs.length + 1);
});

test.each([
  [['--all', 'one'], 'Give names or --all, not both.'],
  [['--undo', 'one'], '--undo takes no names'],
  [['--undo', '--trust'], '--undo takes no other option'],
  [['--plan'], '--plan needs the names'],
  [['one', '--max-runs', '0'], 'give a whole number from 1 to 9999'],
  [['one', '--pr'], '--pr'],
  [[], 'Name the sessions, branches or worktrees to land, or give --all.'],
])('land %j is refused', async (args, message) => {
  const { code, err } = await at.robosmith('land', ...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import type { ClashReport } from '#protocol/clash.ts';
import { fakeIo } from '../../support/fake-io.ts';
import { newRepository, type Repository } from '../../support/git-repository.ts';
import { standIn } from '../../support/stand-in-program.ts';
import { until } from '../../support/until.ts';

let repository: Repository;
let env: Record<string, string | undefined>;
beforeEach(async () => {
  repository = await newRepository();
  env = { ...process.env, XDG_CACHE_HOME: repository.at('cache'), ROBOSMITH_CONFIG_DIR: repository.at('config') };
});
afterEach(() => repository.end());

async function robosmith(words: readonly string[], cwd = repository.root) {
  const io = fakeIo({ cwd, env });
  const code = await main(['clash', ...words], io);
  return { code, out: io.out(), err: io.err() };
}

async function reportOf(words: readonly string[]): Promise<ClashReport> {
  return JSON.parse((await robosmith([...words, '--json'])).out) as ClashReport;
}

/** Creates worktrees in which one renames what the other begins to use. */
function clashing(): readonly [string, string] {
  repository.put('src/sum.ts', 'export function total(a: number): number {\n  return a;\n}\n');
  repository.commit('Sum');
  const [rename, report] = [
    repository.linkedWorktree('rename', 'chore/rename'),
    repository.linkedWorktree('report', 'feature/report'),
  ];
  repository.put('src/sum.ts', 'export function sumOf(a: number): number {\n  return a;\n}\n', rename);
  repository.put('src/report.ts', "import { total } from './sum.ts';\nexport const r: number = total(1);\n", report);
  return [rename, report];
}

describe('the answer', () => {
  test('fits 80 columns, and its paths work from the folder in which it was typed', async () => {
    const [rename] = clashing();
    const { code, out } = await robosmith([], path.join(rename, 'src'));
    expect(out.split('\n')).toEqual([
      '2 worktrees and main                                                     1 clash',
      '',
      '! chore/rename × feature/report   clash, likely   report.ts:1',
      expect.stringMatching(/^ {4}rename {4}sum\.ts:1 {5}export function sumOf\(a: number\): number \{ {2}was total$/),
      "    report    report.ts:1  import { total } from './sum.ts';",
      '    report    report.ts:2  export const r: number = total(1);',
      '    total: it was renamed to sumOf',
      '',
      '  chore/rename    1 file not committed  ..',
      '  feature/report  1 file not committed  ../../report',
      '',
    ]);
    expect(code).toBe(1);
  });

  test('hostile names do not reach the terminal, and long ones are cut in the middle', async () => {
    const branches = ['\u009b31mred-' + 'x'.repeat(40), `feature/${'long-'.repeat(20)}end`];
    for (const [index, branch] of branches.entries()) {
      const place = repository.linkedWorktree(`w${index}`, branch);
      repository.put('evil\u001b]0;title\u0007\nname.txt', String(index), place);
    }
    const { out } = await robosmith([]);
    // eslint-disable-next-line no-control-regex -- these characters must not be printed
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(out.split('\n').filter((line) => line.length > 80 && !line.includes('name.txt'))).toEqual([]);
    expect(out).toContain('end');
  });

  test('exit codes: 1 for what --fail-on names, 2 if something is not compared', async () => {
    const [rename] = clashing();
    expect((await robosmith(['--fail-on', 'conflict'])).code).toBe(0);
    repository.put('src/sum.ts', 'export function total(b: number): number {\n  return b;\n}\n');
    expect((await robosmith(['--fail-on', 'conflict'])).code).toBe(1);
    repository.git(['checkout', '--quiet', '.']);
    repository.git(['checkout', '--quiet', '.'], rename);
    repository.put('src/report.ts', 'export const r = 1;\n', rename);
    repository.git(['switch', '--quiet', '--orphan', 'other'], repository.linkedWorktree('orphan', 'x'));
    expect((await robosmith(['report', 'orphan', '--fail-on', 'same-file'])).code).toBe(2);
  });

  test('--base, --branches and --json, whose document has a published schema', async () => {
    clashing().forEach((place) => repository.commit('Work', place));
    const report = await reportOf(['--base', 'chore/rename', '--branches', 'feature/*']);
    const { definitions } = JSON.parse(readFileSync('schemas/response.schema.json', 'utf8')) as object & {
      definitions: object;
    };
    const schema = { $ref: '#/definitions/clashReport', definitions };
    expect(new Ajv({ strict: false }).validate(schema, report)).toBe(true);
    expect(report.sides.filter(({ is_base: isBase }) => isBase).map(({ name }) => name)).toEqual(['chore/rename']);
    repository.git(['worktree', 'remove', repository.at('report')]);
    expect((await reportOf([])).sides.map(({ name }) => name)).toEqual(['main', 'chore/rename']);
    expect((await reportOf(['--branches', 'feature/*'])).counts.clash_likely).toBe(1);
  });

  test.each([
    [['--fail-on', 'all'], 'give one of conflict, clash, same-file'],
    [['--watch', '--json'], 'it goes without --watch'],
    [['--limit', '5'], '--limit goes with --prove'],
    [['--prove', '--limit', '0'], 'give a whole number of minutes'],
    [['a', 'b', 'c'], 'Give at most two names'],
    [['nowhere', 'main'], 'There is no worktree, branch or commit "nowhere"'],
    [['--branches', 'nope/*'], 'No branch matches nope/*'],
  ])('%j is refused', async (words, why) => {
    const { code, err } = await robosmith(words);
    expect(code).toBe(2);
    expect(err.replace(/\s+/g, ' ')).toContain(why);
  });

  test('outside of a repository', async () => {
    expect(await robosmith(['--json'], repository.base)).toMatchObject({
      code: 2,
      out: expect.stringContaining('no git repository') as string,
    });
  });
});

describe('--prove', () => {
  const typed = (): void => {
    repository.put(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          module: 'nodenext',
          types: [],
          allowImportingTsExtensions: true,
          noEmit: true,
        },
        include: ['src'],
      }),
    );
    repository.put('.gitignore', 'node_modules\n');
    mkdirSync(path.join(repository.root, 'node_modules'));
    symlinkSync(path.resolve('node_modules/typescript'), path.join(repository.root, 'node_modules/typescript'));
  };

  test('proves with the compiler what is broken only together, and keeps the result', async () => {
    typed();
    const [, report] = clashing();
    const other = repository.linkedWorktree('other', 'other');
    repository.put('src/other.ts', "export const other: string = 'x';\n", other);

    const proved = await reportOf(['--prove']);

    expect(proved.counts).toMatchObject({ clash_proved: 1, clear: 2, not_compared: 0 });
    expect(proved.pairs[0]?.check).toEqual({
      checker: 'tsc',
      outcome: 'failed_together',
      findings: [`src/report.ts(1,10): error TS2305: Module '"./sum.ts"' has no exported member 'total'.`],
    });
    expect(readdirSync(repository.at('cache/robo-smith/clash'))).toHaveLength(1);
    // Errors of one side alone prove nothing about the pair.
    repository.put('src/broken.ts', "export const broken: number = 'text';\n", report);
    const broken = await reportOf(['--prove', '--limit', '9']);
    expect(broken.pairs[0]).toMatchObject({
      verdict: 'clash_likely',
      check: { outcome: 'proves_nothing', findings: ['tsc fails on feature/report alone'] },
    });
  });
});

test('--pull-requests fetches their commits, and writes nothing into the repository', async () => {
  const bare = repository.at('remote.git');
  repository.git(['clone', '--quiet', '--bare', repository.root, bare]);
  const commits = ['one', 'two'].map((text, index) => {
    repository.put('a.txt', text);
    const commit = repository.commit(text);
    repository.git(['push', '--quiet', bare, `HEAD:refs/pull/${index + 1}/head`]);
    repository.git(['reset', '--quiet', '--hard', 'HEAD~1']);
    return commit;
  });
  const here = repository.at('clone');
  repository.git(['clone', '--quiet', `file://${bare}`, here]);
  repository.git(['remote', 'set-url', 'origin', 'git@github.com:o/r.git'], here);
  const list = commits.map((commit, index) => ({
    number: index + 1,
    headRefName: `pr-${index + 1}`,
    headRefOid: commit,
    baseRefName: 'main',
  }));
  const programs = repository.at('programs');
  standIn(programs, 'gh', `echo '${JSON.stringify(list)}'`);
  standIn(programs, 'ssh', `exec git-upload-pack '${bare}'`);
  const before = process.env['PATH'];
  process.env['PATH'] = `${programs}:${repository.git(['--exec-path'])}:${before ?? ''}`;
  try {
    const io = fakeIo({ cwd: here, env });
    await main(['clash', '--pull-requests', '--json'], io);
    const report = JSON.parse(io.out()) as ClashReport;
    expect(report.pairs.map(({ sides, verdict }) => [...sides, verdict])).toEqual([['#1 pr-1', '#2 pr-2', 'conflict']]);
  } finally {
    process.env['PATH'] = before;
  }
  for (const commit of commits)
    expect(() => repository.git(['cat-file', '-e', commit], here)).toThrow('Command failed');
  expect(repository.git(['for-each-ref', '--format=%(refname)'], here)).not.toContain('pull');
});

test('--watch answers again when a file changes, and ends on an interrupt', async () => {
  const [rename, report] = clashing();
  repository.git(['checkout', '--quiet', '.'], rename);
  let interrupt: () => void = () => undefined;
  const io = fakeIo({
    cwd: repository.root,
    env,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => undefined;
    },
  });
  const ended = main(['clash', '--watch'], io);
  await until(() => io.out().includes('feature/report  1 file not committed'));
  // A folder that did not exist when the watch began.
  repository.put('src/deep/new.ts', 'export const n = 1;\n', report);
  await until(() => io.out().includes('feature/report  2 files not committed'));
  repository.put('src/sum.ts', 'export function sumOf(a: number): number {\n  return a;\n}\n', rename);
  await until(() => io.out().includes('clash, likely'));
  appendFileSync(path.join(report, 'src/deep/new.ts'), 'export const m = 2;\n');
  repository.commit('All', report);
  await until(() => io.out().includes('feature/report  1 commit '));
  interrupt();
  expect(await ended).toBe(1);
});

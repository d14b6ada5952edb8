import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';
import { CORRECTION, type DoProject, doProject, TEST_FIRST } from './do-project.ts';
import { killHard } from './hosted.ts';
import type { onTerminal } from './pseudo-terminal.ts';
import { nextCommands } from './robosmith.ts';

let at: DoProject;
let terminal: ReturnType<typeof onTerminal> | null = null;
beforeEach(async () => {
  at = await doProject();
});
afterEach(async () => {
  terminal?.kill();
  await at.remove();
});

const TASK = 'Splitting 10.00 loses a cent';

/** Returns the command that is printed beside these words. */
function commandFor(what: string, text: string): readonly string[] {
  const line = text.split('\n').findLast((one) => one.trim().startsWith(what)) ?? '';
  const [command = []] = nextCommands(`  ${line.slice(line.indexOf('robosmith'))}`);
  return command;
}

/** Returns the rows of the steps without their times and costs. */
const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}([✓✗] .+?)(?: {2,}[\d.]+ s.*)?$/gm)].map(([, row = '']) => row.replaceAll(/\s{2,}/g, '  '));

describe('without a terminal', () => {
  test('a task leaves the checkout as it is until it is landed, and each printed command works', async () => {
    const before = at.checkout();
    const done = await at.robosmith('do', TASK, '--yes');
    // Agents run commands where this machine can make a sandbox.
    expect(done.err).toMatch(
      / {2}claude {5}may (?:edit files and run commands in a sandbox|change files; runs no commands)\n {2}npm test {3}the check, from package\.json\n/,
    );
    expect(rowsOf(done.err)).toEqual([
      '✓ claude  changed 1 file',
      '✗ npm test  1 of 2 fails: nobody loses a cent',
      '✓ claude  changed 1 file',
      '✓ npm test  2 pass',
    ]);
    expect(done.err).toMatch(/^■ Ready {3}\+3 −1 in 2 files/m);
    expect(done.code).toBe(3);
    expect(at.checkout()).toEqual(before);
    expect(existsSync(path.join(at.folder, '.flow'))).toBe(true);
    expect(at.git('status', '--porcelain')).toBe('');

    const diff = await at.robosmith(...commandFor('show the diff', done.err));
    expect(diff.out).toContain('nobody loses a cent');
    expect((await at.robosmith(...commandFor('keep it for later', done.err))).err).toMatch(/^■ Ready/m);
    const changed = await at.robosmith(...commandFor('ask for a change', done.err));
    expect(rowsOf(changed.err).at(-1)).toBe('✓ npm test  2 pass');
    // The same agent goes on in the same conversation, and reads what is asked for.
    const [first, , third] = at.starts();
    expect(first?.argv).not.toContain('--resume');
    expect(third?.argv).toContain('--resume');
    expect(third?.stdin).toContain('what to change');

    const landed = await at.robosmith(...commandFor('land it on main', changed.err));
    expect([landed.code, landed.err]).toEqual([0, '']);
    expect(readFileSync(path.join(at.folder, 'split.js'), 'utf8')).toBe(CORRECTION.files['split.js']);
    expect(at.git('log', '--format=%s')).toBe(`${TASK}\nFirst`);
    expect(at.git('status', '--porcelain')).toBe('');
  });

  test('nothing starts and nothing is written before somebody has agreed to exactly what runs', async () => {
    const before = at.checkout();
    const refused = await at.robosmith('do', TASK);
    expect(refused.code).toBe(2);
    expect(nextCommands(refused.err)).toEqual([['do', TASK, '--yes']]);
    expect([at.checkout(), existsSync(path.join(at.folder, '.flow')), at.starts()]).toEqual([before, false, []]);

    expect((await at.robosmith('do', TASK, '--yes')).code).toBe(3);
    await at.plan(CORRECTION);
    expect((await at.robosmith('do', 'Once more')).code).toBe(3);
    const starts = at.starts().length;
    const other = await at.robosmith('do', TASK, '--check', 'npm test && echo more');
    expect([other.code, at.starts().length]).toEqual([2, starts]);
    expect(other.err).toContain('npm test && echo more');
  });

  test('a check that never passes ends after three executions, and the work can go on', async () => {
    await at.plan(TEST_FIRST, TEST_FIRST, TEST_FIRST, CORRECTION);
    const done = await at.robosmith('do', TASK, '--yes');
    expect(at.starts()).toHaveLength(3);
    expect(done.err).toMatch(/^■ Not done: npm test still fails {3}\+1 −0 in 1 file/m);
    expect(done.err).toContain('nobody loses a cent');
    expect(done.code).toBe(3);
    const more = await at.robosmith(...commandFor('go on', done.err));
    expect(more.err).toMatch(/^■ Ready/m);
  });

  test.each(['no-such-program-anywhere', 'npm run missing-tool'])(
    'a check that can not be executed is not paid for again: %s',
    async (check) => {
      await at.remove();
      at = await doProject({
        'package.json': JSON.stringify({
          name: 'shop',
          type: 'module',
          scripts: { test: 'true', 'missing-tool': 'no-such-tool-anywhere --all' },
        }),
      });
      await at.plan(CORRECTION, CORRECTION, CORRECTION);
      const done = await at.robosmith('do', TASK, '--yes', '--check', check);
      expect([done.code, at.starts().length]).toEqual([3, 1]);
      expect(done.err).toMatch(/^■ Not done: .+ could not be executed/m);
      expect((await at.robosmith(...commandFor('go on', done.err))).code).toBe(3);
    },
  );

  test('reviewers read the change, and an objection sends it back', async () => {
    await at.plan(TEST_FIRST, CORRECTION, { answer: 'split.js:2 is wrong.\n\nSIGNAL:FAILURE' }, CORRECTION, {
      answer: 'Fine.\n\nSIGNAL:SUCCESS',
    });
    const done = await at.robosmith('do', TASK, '--yes', '--review');
    expect(rowsOf(done.err).slice(4)).toEqual([
      '✗ reviewer 1  objects',
      '✓ claude  changed 1 file',
      '✓ npm test  2 pass',
      '✓ reviewer 1  has no objection',
    ]);
    const [, , review, again] = at.starts();
    expect(review?.stdin).toContain('+test(');
    expect(again?.stdin).toContain('split.js:2 is wrong.');
    expect(done.err).toMatch(/^■ Ready/m);
  });
});

describe('several', () => {
  const sessions = async () =>
    (
      JSON.parse((await at.robosmith('sessions', '--json')).out) as {
        readonly sessions: readonly { readonly session: { readonly title: string; readonly state: string } }[];
      }
    ).sessions.map(({ session }) => session);

  test('tasks of a file work in the background, each in a worktree of its own', async () => {
    writeFileSync(path.join(at.base, 'tasks.md'), '# Today\n\n- [ ] One cent\n- [x] Done\n- [ ] Two cents\n');
    await at.plan(CORRECTION, CORRECTION);
    const refused = await at.robosmith('do', '--from', '../tasks.md');
    expect(refused.err).toContain('2 times, each in a worktree of its own, this runs:');
    expect(nextCommands(refused.err)).toEqual([['do', '--from', '../tasks.md', '--yes']]);
    const left = await at.robosmith('do', '--from', '../tasks.md', '--yes');
    expect([left.code, left.err]).toEqual([0, expect.stringContaining('Two cents')]);
    await until(async () => (await sessions()).every(({ state }) => state === 'halted'));
    expect((await sessions()).map(({ title }) => title).sort()).toEqual(['One cent', 'Two cents']);
    for (const command of nextCommands(left.err).slice(0, 2)) expect((await at.robosmith(...command)).code).toBe(0);
  });

  /** A program that decides by its task and its worktree, since several of them work at the same time. */
  const PROGRAM = `import { readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
if (prompt.includes('Not possible') || process.cwd().includes('3-of-3')) console.log('SIGNAL:FAILURE');
else if (prompt.includes('Another file')) writeFileSync('notes.md', 'ok\\n');
else writeFileSync('split.js', ${JSON.stringify(CORRECTION.files['split.js'])});
`;
  const agent = (): readonly string[] => {
    writeFileSync(path.join(at.base, 'agent.mjs'), PROGRAM);
    return ['--agent', `node ${path.join(at.base, 'agent.mjs')}`];
  };

  test('with --land what is ready lands together, and the rest waits', async () => {
    writeFileSync(path.join(at.base, 'tasks.md'), '- One cent\n- Another file\n- Not possible\n');
    const done = await at.robosmith('do', '--from', '../tasks.md', '--yes', '--land', ...agent());
    expect([done.code, nextCommands(done.err).at(-1)]).toEqual([3, ['inbox']]);
    expect(at.git('ls-tree', '--name-only', 'main')).toContain('notes.md');
    expect(at.git('show', 'main:split.js')).toBe(CORRECTION.files['split.js'].trimEnd());
    expect((await sessions()).map(({ state }) => state).sort()).toEqual(['halted', 'merged', 'merged']);
  });

  test('of several attempts each is shown, and the printed commands show and land one', async () => {
    const done = await at.robosmith('do', 'Mend it', '--yes', '--best-of', '3', ...agent());
    expect(done.code).toBe(3);
    const rows = done.err.split('\n').filter((line) => /^ {2}[123] [✓✗] /.test(line));
    expect(rows.filter((row) => /✓ ready {6}\+2 −1 in 1 file/.test(row))).toHaveLength(2);
    expect(rows.filter((row) => /✗ not done {3}no changes/.test(row))).toHaveLength(1);
    const next = nextCommands(done.err);
    expect(next.map(([, verb]) => verb)).toEqual(['diff', 'diff', 'diff', 'merge', 'merge']);
    expect((await at.robosmith(...(next[3] ?? []))).code).toBe(0);
    expect(at.git('log', '--format=%s').split('\n')).toHaveLength(2);
  });

  test.each([
    [['--from', 'none.md'], "none.md can't be read"],
    [['--from', 'package.json'], 'package.json has no tasks'],
    [['--from', 'package.json', TASK], "--from names the tasks, so it can't be combined"],
    [['--from', 'package.json', '--best-of', '2'], '--best-of takes one task.'],
    [[TASK, '--best-of', '1'], '--best-of takes a number from 2 to 5, not "1".'],
    [[TASK, '--best-of', '2', '--show'], '--show prints the workflow'],
    [['--issue', '3', '4', '--best-of', '2'], '--best-of takes one task.'],
    [[TASK, '--land', '--detach'], "--land waits for the work, so it can't be combined with --detach."],
    [[TASK, '--land', '--best-of', '2'], '--land goes with neither'],
  ])('%j is refused before anything starts', async (args, why) => {
    const { code, err } = await at.robosmith('do', ...args, '--yes');
    expect(err).toContain(why);
    expect([code === 0, at.starts()]).toEqual([false, []]);
  });
});

describe('what is kept', () => {
  test('with --detach the work is done in the background', async () => {
    const left = await at.robosmith('do', TASK, '--yes', '--detach');
    expect([left.code, left.err.includes('It goes on in the background')]).toEqual([0, true]);
    await until(async () => (await at.session()).state === 'halted');
    expect((await at.robosmith('resume')).err).toMatch(/^■ Ready/m);
  });

  test('when the command is killed, the work goes on and can be landed', async () => {
    const child = at.starting('do', TASK, '--yes');
    await until(() => at.starts().length > 0);
    await killHard(child.pid ?? 0);
    await until(async () => (await at.session()).state === 'halted');
    const again = await at.robosmith('resume');
    expect(again.err).toMatch(/^■ Ready/m);
    expect((await at.robosmith(...commandFor('land it on main', again.err))).code).toBe(0);
    expect(at.starts()).toHaveLength(2);
  });

  test('when the engine is killed, the command says so, and its advice goes on', async () => {
    await at.plan({ hang: true }, TEST_FIRST, CORRECTION);
    const child = at.starting('do', TASK, '--yes');
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
    const closed = new Promise((resolve) => child.on('close', resolve));
    await until(() => at.starts().length > 0);
    const [hanging] = at.starts();
    await killHard((await at.host()) ?? 0);
    await closed;
    expect(err).toContain('kept');
    const [resume = []] = nextCommands(err);
    const again = await at.robosmith(...resume);
    expect(isAlive(hanging?.pid ?? 0)).toBe(false);
    expect(again.err).toMatch(/^■ (?:Ready|Interrupted)/m);
    const ready = again.err.includes('Interrupted') ? await at.robosmith(...commandFor('go on', again.err)) : again;
    expect(ready.err).toMatch(/^■ Ready/m);
  });

  test('after Ctrl-C the work goes on in the background, and both printed commands work', async () => {
    await at.plan({ hang: true });
    const child = at.starting('do', TASK, '--yes');
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
    const closed = new Promise((resolve) => child.on('close', resolve));
    await until(() => at.starts().length > 0);
    child.kill('SIGINT');
    expect(await closed).toBe(0);
    expect(err).toContain('It goes on in the background, and everything so far is kept.');
    expect((await at.robosmith(...commandFor('stop it', err))).code).toBe(0);
    await at.plan(CORRECTION);
    const again = await at.robosmith(...commandFor('see it again', err));
    expect(again.err).toMatch(/^■ (?:Ready|Interrupted)/m);
  });
});

describe.skipIf(process.platform !== 'linux')('at a terminal', () => {
  test('Enter starts it; keys show the diff, ask for a change and land it', async () => {
    const keys = 'keep it for later';
    terminal = at.onTerminal(
      ['do', TASK],
      [
        ['Start? [Y/n]', '\r'],
        [keys, 'd'],
        [keys, 'r'],
        ['What should change?', 'Name the index.\r'],
        [keys, 'l'],
      ],
    );
    const { code, plain } = await terminal.ended;
    expect(plain).toContain('diff --git a/split.js b/split.js');
    expect(at.starts().at(-1)?.stdin).toContain('Name the index.');
    expect(code).toBe(0);
    expect(at.git('log', '--format=%s')).toBe(`${TASK}\nFirst`);
  });

  test('n starts nothing; h keeps the work, and a key that was typed before counts for nothing', async () => {
    terminal = at.onTerminal(['do', TASK], [['Start? [Y/n]', 'n']]);
    expect((await terminal.ended).code).toBe(2);
    expect(at.starts()).toEqual([]);
    terminal = at.onTerminal(
      ['do', TASK],
      [
        ['Start? [Y/n]', 'y'],
        // This key would land the work.
        ['claude', 'l'],
        ['keep it for later', 'h'],
      ],
    );
    const { code, plain } = await terminal.ended;
    expect(plain).toContain(`robosmith sessions merge ${(await at.session()).id}`);
    expect(code).toBe(3);
    expect(at.git('log', '--format=%s')).toBe('First');
  });
});

describe('the workflow', () => {
  test('is saved as a manifest that runs, and never over another one', async () => {
    const shown = await at.robosmith('do', '--show');
    expect((await at.robosmith('do', '--show', '--save')).code).toBe(2);
    expect((await at.robosmith('do', '--save')).code).toBe(0);
    const manifest = path.join(at.folder, '.vision', 'workflows.json');
    expect(readFileSync(manifest, 'utf8')).toBe(shown.out);
    expect((await at.robosmith('validate')).out).toBe('');
    expect((await at.robosmith('do', '--save')).code).toBe(2);
    const run = await at.robosmith('run', '--input', TASK, '--in', '.', '--trust');
    expect([run.code, at.starts()[0]?.stdin.includes(TASK)]).toEqual([3, true]);
  });
});

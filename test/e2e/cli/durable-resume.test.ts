import { writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Failure, responseOf, type RunListing, statusOf } from './durable-documents.ts';
import { chain, type DurableProject, durableProject, rewriteJournal, RUN, waitingUntil, worker } from './durable.ts';
import { nextCommands, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

const RESUME_LINE = /^ {2}robosmith resume (r[0-9a-f]{12})$/m;
const errorOf = (out: string) => (JSON.parse(out) as Failure).error;
const summaryOf = (listing: RunListing) => {
  if (listing.kind === 'damaged') throw new Error('it is damaged');
  return listing.summary;
};

describe('a halted run', () => {
  test('goes on in another process, with the answer; what is done is not done again', async () => {
    verifies('cli.resume');
    at = await durableProject({ 'fail-B': '' });
    const halted = await at.robosmith(...RUN);
    expect(halted.code).toBe(3);
    const { run } = await at.newest();
    expect(halted.err.split('\n')[0]).toBe(`▶ Main  ${run} · in . · .vision/workflows.json`);
    expect(await at.ran()).toEqual(['A', 'B']);
    const { code, out, err } = await at.robosmith('resume', run, '--next', '--guidance', 'all is well', '--json');
    expect([code, responseOf(out).reason]).toEqual([0, null]);
    expect(err.split('\n')[0]).toBe(`▶ Main  ${run} · resumed · after 2 steps · in .`);
    expect(err).toMatch(new RegExp(`✓ Completed in 3 steps, .+ {2}${run}\n$`));
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
    const { payload } = responseOf(out).data;
    expect(payload.find(({ type }) => type === 'HUMAN_GUIDANCE')?.content).toBe('all is well');
    expect(responseOf(out).path.map(({ step, block, signal }) => [step, block, signal])).toEqual([
      [1, 'Main__A', 'SIGNAL:SUCCESS'],
      [2, 'Main__B', 'SIGNAL:FAILURE'],
      [3, 'Main__C', 'SIGNAL:SUCCESS'],
    ]);
  });

  test('goes on though the list of sessions is damaged, and is told of that', async () => {
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    writeFileSync(path.join(at.folder, '.flow', 'sessions.json'), '{"no"');
    const { code, err } = await at.robosmith('resume', run, '--next');
    expect([code, err]).toEqual([0, expect.stringContaining('sessions.json')]);
  });

  test('takes one answer: a second one is refused, with what can be done', async () => {
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    expect((await at.robosmith('resume', run, '--next')).code).toBe(0);
    const again = await at.robosmith('resume', run, '--next', '--json');
    expect(again.code).toBe(2);
    expect(errorOf(again.out)).toEqual({
      code: 'usage',
      message: `${run} is completed and can't be resumed.`,
      next: [`robosmith runs show ${run}`, `robosmith runs fork ${run}@1`],
    });
    for (const command of nextCommands(again.err)) expect((await at.robosmith(...command)).code).not.toBe(2);
  });

  test('without an answer it prints what waits, and ends with 3', async () => {
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { code, err } = await at.robosmith('resume');
    expect(code).toBe(3);
    expect(err).toContain('■ Main__B waits for a person after SIGNAL:FAILURE');
    expect(err).toContain('  | B said it\n');
    expect(nextCommands(err)).toHaveLength(4);
    expect(await at.ran()).toEqual(['A', 'B']);
  });

  test('--retry, --jump and --abort do what they say', async () => {
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    expect((await at.robosmith('resume', run, '--retry')).code).toBe(3);
    expect(await at.ran()).toEqual(['A', 'B', 'B']);
    expect((await at.robosmith('resume', run.slice(0, 5), '--halt', 'h2', '--jump', 'A')).code).toBe(3);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'A', 'B']);
    const aborted = await at.robosmith('resume', run, '--halt', 'h3', '--abort', '--json');
    expect([aborted.code, responseOf(aborted.out).reason]).toEqual([1, 'cancelled']);
    expect(statusOf(await at.newest())).toBe('cancelled');
  });

  const MISUSES = [
    [['--halt', 'h9', '--next'], 'RUN has no halt "h9". Open halt: h1 (Main__B, flagged).'],
    [['--retry', '--next'], "--retry and --next can't be combined."],
    [
      ['--guidance', 'x'],
      '--guidance goes with an answer: --retry, --proceed, --reject <reason>, --next, --jump <block>, --abort.',
    ],
    [
      ['--halt', 'h1'],
      '--halt goes with an answer: --retry, --proceed, --reject <reason>, --next, --jump <block>, --abort.',
    ],
    [['--proceed'], 'Main__B does not accept --proceed: it accepts --retry, --next, --jump <block>, --abort.'],
    [['--jump', 'Mian__A'], 'The manifest has no block "Mian__A". Did you mean "Main__A"?'],
    [['--manifest', 'old'], `--manifest takes only "new", which means the current version of the run's manifest.`],
    [['--json', '--jsonl'], "--json and --jsonl can't be combined."],
    [
      ['--due'],
      "--due resumes every run whose scheduled time has passed, and can't be combined with a run or an answer.",
    ],
  ] as const;

  test('flags that mean nothing are usage errors; what they say to type works', async () => {
    verifies('cli.resume', 'cli.error.next-command-works');
    at = await durableProject({ 'fail-B': '' });
    for (const [flags, message] of MISUSES) {
      // A new run each time, because only the first halt of a run may be answered without its id.
      await at.robosmith(...RUN);
      const { run } = await at.newest();
      const { code, err } = await at.robosmith('resume', run, ...flags);
      expect([flags, code]).toEqual([flags, 2]);
      expect(err.replaceAll(run, 'RUN')).toContain(`✗ usage  ${message}\n`);
      const [first = []] = nextCommands(err);
      expect((await at.robosmith(...first)).err).not.toMatch(/✗ (usage|bug)/);
    }
    expect(statusOf(await at.newest())).toBe('halted');
  });

  test('of several halts one has to be named', async () => {
    const gate = { worker: 'Worker:A', gate: true, transitions: [to('SUCCESS', 'RETURN')] };
    at = await durableProject({
      '.vision/workflows.json': {
        ...chain(),
        nodes: {
          Main: {
            entry_block: 'A',
            blocks: { A: { worker: 'Worker:A', transitions: [to('SUCCESS', 'FORK:One,Two')] } },
          },
          One: { entry_block: 'G', blocks: { G: gate } },
          Two: { entry_block: 'G', blocks: { G: gate } },
        },
      },
    });
    const first = await at.robosmith(...RUN, '--json');
    const { run } = await at.newest();
    const answers = nextCommands(first.err).map((command) => command.join(' '));
    expect(answers.filter((line) => line.includes('proceed'))).toEqual([
      `resume ${run} --halt h1 --proceed`,
      `resume ${run} --halt h2 --proceed`,
    ]);
    const unnamed = await at.robosmith('resume', run, '--proceed');
    expect(unnamed.code).toBe(2);
    expect(unnamed.err).toContain(
      `2 blocks of ${run} wait; choose one with --halt: h1 (One__G, gate), h2 (Two__G, gate).`,
    );
    const one = await at.robosmith('resume', run, '--halt', 'h2', '--proceed');
    expect(one.code).toBe(3);
    expect(nextCommands(one.err)[0]).toEqual(['resume', run, '--halt', 'h1', '--proceed']);
    expect((await at.robosmith('resume', run, '--proceed')).code).toBe(2);
    expect((await at.robosmith('resume', run, '--halt', 'h1', '--proceed')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'A', 'A']);
  });
});

describe.skipIf(process.platform === 'win32')('a run that was cut off', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('by %s: exit 0, and resume goes on where it was', async (signal) => {
    verifies('engine.crash-barrier.signals');
    verifies('cli.resume', 'cli.exit-codes');
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    first.signal(signal);
    const { code, err } = await first.ended;
    expect(code).toBe(0);
    expect(err).toContain('■ interrupted  The run was stopped; nothing is lost.');
    const { run } = await at.newest();
    expect(RESUME_LINE.exec(err)?.[1]).toBe(run);
    expect(statusOf(await at.newest())).toBe('interrupted');
    await at.unlink('hold-B');
    const resumed = await at.robosmith('resume', run);
    expect(resumed.code).toBe(0);
    expect(resumed.err).toContain('! B  was stopped, and is executed again');
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('by a second Ctrl-C: at once', async () => {
    at = await durableProject({
      '.vision/workflows.json': chain({ workers: { 'Worker:B': { ...worker('B'), command: STUBBORN } } }),
    });
    const first = await at.until('I stay', ...RUN, '--jsonl');
    first.signal('SIGINT');
    first.signal('SIGTERM');
    expect((await first.ended).code).toBe(130);
    expect(statusOf(await at.newest())).toBe('interrupted');
  });

  test('by kill -9: runs shows it as interrupted, and resume redoes nothing that had ended', async () => {
    verifies('cli.resume', 'cli.runs');
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    expect(statusOf(await at.newest())).toBe('running');
    first.signal('SIGKILL');
    await first.ended;
    expect(statusOf(await at.newest())).toBe('interrupted');
    const { out, err } = await at.robosmith('runs');
    const { run } = await at.newest();
    expect(out).toMatch(new RegExp(`^■ ${run} {2}Main +interrupted +B +1 +\\d+s$`, 'm'));
    expect(nextCommands(err)).toEqual([['resume', run]]);
    await at.unlink('hold-B');
    const resumed = await at.robosmith('resume', '--json');
    expect(resumed.code).toBe(0);
    expect(responseOf(resumed.out).path.map(({ block, attempts }) => [block, attempts])).toEqual([
      ['Main__A', 1],
      ['Main__B', 2],
      ['Main__C', 1],
    ]);
    expect(resumed.err).toContain('! B  was interrupted by a crash, and is executed again');
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('in a block that must not be repeated: a person decides', async () => {
    at = await durableProject({
      '.vision/workflows.json': chain({ workers: { 'Worker:B': worker('B', 'non_idempotent') } }),
      'hold-B': '',
    });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    first.signal('SIGKILL');
    await first.ended;
    await at.unlink('hold-B');
    const resumed = await at.robosmith('resume');
    expect(resumed.code).toBe(3);
    expect(resumed.err).toContain(
      '■ Main__B waits for a person: it was interrupted, and its effects may already have occurred.',
    );
    expect((await at.robosmith('resume', '--next')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });
});

/** A command that ignores SIGTERM and ends after 4 seconds. */
const STUBBORN = [
  process.execPath,
  '-e',
  'process.on("SIGTERM", () => undefined); console.log("I stay"); setTimeout(() => undefined, 4_000)',
];

describe('a run that has failed', () => {
  const failing = () => {
    const { nodes, ...rest } = chain();
    const { B, ...blocks } = nodes.Main.blocks;
    const strict = { ...B, transitions: [to('SUCCESS', 'JUMP:C')] };
    return { ...rest, nodes: { Main: { ...nodes.Main, blocks: { ...blocks, B: strict } } } };
  };

  test('goes on with --retry: the last execution is taken back', async () => {
    verifies('cli.resume');
    at = await durableProject({ '.vision/workflows.json': failing(), 'fail-B': '' });
    const failed = await at.robosmith(...RUN, '--json');
    expect([failed.code, responseOf(failed.out).reason]).toEqual([1, 'no_transition']);
    const { run } = await at.newest();
    const bare = await at.robosmith('resume', run, '--json');
    expect(bare.code).toBe(2);
    expect(errorOf(bare.out)).toEqual({
      code: 'usage',
      message: `${run} has failed (no_transition). Resume it with --retry, which executes its last block again; you can add --guidance <text>.`,
      next: [`robosmith resume ${run} --retry`, `robosmith runs show ${run}`],
    });
    expect((await at.robosmith('resume', '--next')).err).toContain('No run waits for an answer.');
    await at.unlink('fail-B');
    const retried = await at.robosmith('resume', '--retry', '--json');
    expect([retried.code, responseOf(retried.out).reason]).toEqual([0, null]);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('with --guidance its workers read it', async () => {
    verifies('cli.resume', 'engine.answer.guidance');
    at = await durableProject({ '.vision/workflows.json': failing(), 'fail-B': '' });
    await at.robosmith(...RUN);
    await at.unlink('fail-B');
    const retried = await at.robosmith('resume', '--retry', '--guidance', 'the port is 8080', '--json');
    expect([retried.code, responseOf(retried.out).reason]).toEqual([0, null]);
    const { payload } = responseOf(retried.out).data;
    expect(payload.filter(({ type }) => type === 'HUMAN_GUIDANCE')).toMatchObject([
      { content: 'the port is 8080', source: { block: 'Main__B', visit: 1 } },
    ]);
  });
});

describe('which run', () => {
  test('the newest one that can go on, when none is named', async () => {
    at = await durableProject({ 'fail-B': '' });
    const nothing = await at.robosmith('resume', '--json');
    expect(nothing.code).toBe(2);
    expect(errorOf(nothing.out).message).toBe(
      'No run of this project can be resumed: none is waiting, and none was interrupted.',
    );
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await at.unlink('fail-B');
    expect((await at.robosmith(...RUN)).code).toBe(0);
    const { code, err } = await at.robosmith('resume');
    expect([code, err.split('\n')[0]]).toEqual([3, `▶ Main  ${run} · resumed · after 2 steps · in .`]);
  });

  test('an id that is none, or the beginning of several, is refused', async () => {
    at = await durableProject();
    await at.robosmith(...RUN);
    await at.robosmith(...RUN);
    const several = await at.robosmith('resume', 'r');
    expect(several.code).toBe(2);
    expect(several.err).toMatch(
      /✗ usage {2}"r" is the beginning of 2 runs \(r[0-9a-f]{12}, r[0-9a-f]{12}\): type more characters\./,
    );
    const none = await at.robosmith('runs', 'show', 'rxyz');
    expect(none.code).toBe(2);
    expect(none.err).toContain('✗ usage  There is no run "rxyz" in this project.');
    expect(nextCommands(none.err)).toEqual([['runs']]);
  });

  test('without .flow/ there is none', async () => {
    at = await durableProject();
    const { code, out } = await at.robosmith('-C', '..', 'resume', '--json');
    expect([code, responseOf(out).reason]).toEqual([2, 'root_not_found']);
    const inbox = await at.robosmith('-C', '..', 'inbox', '--json');
    expect([inbox.code, errorOf(inbox.out).code, errorOf(inbox.out).next]).toEqual([
      2,
      'root_not_found',
      ['robosmith -C .. init'],
    ]);
  });
});

test('from outside of the project: what is printed works where it is printed', async () => {
  verifies('cli.error.next-command-works');
  at = await durableProject({ 'fail-B': '' });
  const outside = (...args: readonly string[]) => at.robosmith('-C', '..', ...args);
  const { code, err } = await outside('run', 'Main', '--in', 'project', '--trust');
  expect(code).toBe(3);
  const { run } = await at.newest();
  const next = nextCommands(err).find((command) => command.includes('--next')) ?? [];
  expect(next).toEqual(['-C', '..', '-C', 'project', 'resume', run, '--halt', 'h1', '--next']);
  expect((await at.robosmith(...next)).code).toBe(0);
  expect((await at.robosmith('-C', 'nowhere', '-C', at.folder, 'runs')).code).toBe(0);
});

test('from outside of the project: a manifest that is not found from there is named', async () => {
  verifies('cli.error.next-command-works');
  const wrong = chain({ workers: { 'Worker:D': { kind: 'command', command: [] } } });
  at = await durableProject({ '.vision/workflows.json': wrong, '../elsewhere/x.txt': '' });
  const outside = (...args: readonly string[]) => at.robosmith('-C', '../elsewhere', ...args);
  const { code, err } = await outside('run', 'Main', '--in', '../project', '--trust');
  expect([code, err]).toEqual([2, expect.stringContaining('invalid_graph')]);
  const [next = []] = nextCommands(err);
  const found = await at.robosmith(...next);
  expect([found.code, found.err]).toEqual([2, expect.stringContaining('workflows.json: 1 error')]);
});

test('--due: one that can’t go on keeps none of the others', async () => {
  verifies('cli.resume');
  at = await durableProject({ 'sub/x.txt': '' });
  await at.write('sub/work.mjs', await at.read('work.mjs'));
  await at.robosmith('run', 'Main', '--in', 'sub', '--trust');
  await at.robosmith(...RUN);
  const [later, first] = await at.runs();
  for (const one of [first, later]) await rewriteJournal(at, one?.run ?? '', waitingUntil(1_000));
  await at.unlink('sub');
  const { code, out, err } = await at.robosmith('resume', '--due', '--json');
  const { responses } = JSON.parse(out) as { readonly responses: readonly Readonly<Record<'reason', unknown>>[] };
  expect([code, responses.map(({ reason }) => reason)]).toEqual([1, ['precondition_failed', null]]);
  expect(err).toContain(`sub, the directory of ${first?.run ?? ''}, no longer exists. Restore it first.`);
  expect((await at.runs()).map(statusOf)).toEqual(['completed', 'halted']);
});

test('--due goes on with those whose time has come, and nobody else', async () => {
  verifies('cli.resume');
  at = await durableProject();
  await at.robosmith(...RUN);
  const [due] = await at.runs();
  await at.robosmith(...RUN);
  const [later] = await at.runs();
  expect((await at.robosmith('resume', '--due')).err).toBe('No run is due.\n');
  await rewriteJournal(at, due?.run ?? '', waitingUntil(1_000));
  await rewriteJournal(at, later?.run ?? '', waitingUntil(Date.now() + 3_600_000));
  expect((await at.runs()).map(statusOf)).toEqual(['halted', 'halted']);
  const { code, out } = await at.robosmith('resume', '--due', '--json');
  const { responses } = JSON.parse(out) as {
    readonly responses: readonly { readonly metadata: { readonly run_id: string } }[];
  };
  expect([code, responses.map(({ metadata }) => metadata.run_id)]).toEqual([0, [due?.run]]);
  expect((await at.runs()).map(statusOf)).toEqual(['halted', 'completed']);
  expect((await at.robosmith('resume', later?.run ?? '')).code).toBe(3);
  expect((await at.robosmith('resume', '--due')).err).toMatch(/^No run is due; the next one is due in \d+m\.\n$/);
  expect((await at.robosmith('inbox')).out).toMatch(/All keys are cooling down\. It continues automatically in \d+m\./);
});

describe('trust', () => {
  test('is asked for what the run has stored, whatever the manifest says today', async () => {
    verifies('cli.run.trust');
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await at.write('../config/trust.json', {});
    await at.write('.vision/workflows.json', { version: 1, nodes: { Main: { entry_block: 'A', blocks: {} } } });
    const refused = await at.robosmith('resume', run, '--next', '--guidance', 'a b', '--json');
    expect([refused.code, responseOf(refused.out).reason]).toEqual([2, 'not_trusted']);
    expect(refused.err).toContain('worker Worker:C');
    expect(await at.ran()).toEqual(['A', 'B']);
    const [next = []] = nextCommands(refused.err);
    expect(next).toEqual(['resume', run, '--next', '--guidance', 'a b', '--trust']);
    expect((await at.robosmith(...next)).code).toBe(0);
  });

  test('a stored run works outside of the project only where somebody has said so', async () => {
    at = await durableProject({ 'fail-B': '' });
    const outside = await durableProject({ 'fail-B': '' });
    try {
      expect((await at.robosmith('run', '--in', outside.folder, '--trust')).code).toBe(3);
      const { run, ...listing } = await at.newest();
      expect(listing.kind === 'run' && summaryOf({ run, ...listing }).directory).toBe(await realpath(outside.folder));
      // The earlier command with `--in` and `--trust` has also stored the permission to work in that directory.
      expect((await at.robosmith('resume', run, '--retry')).code).toBe(3);
      const trust = JSON.parse(await at.read('../config/trust.json')) as {
        readonly trusted: Readonly<Record<string, unknown>>;
      };
      expect(Object.keys(trust.trusted)).toHaveLength(2);
      const [commands] = Object.entries(trust.trusted);
      await at.write('../config/trust.json', { trusted: Object.fromEntries([commands ?? ['', null]]) });
      const next = ['resume', run, '--halt', 'h2', '--next'] as const;
      const refused = await at.robosmith(...next);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(`This run wants to work outside of the project, in\n  ${outside.folder}\n`);
      expect((await at.robosmith(...next, '--trust')).code).toBe(0);
    } finally {
      await outside.remove();
    }
  });
});

test('a directory that is gone is said', async () => {
  at = await durableProject({ 'work/work.mjs': '', 'work/fail-B': '' });
  await at.write('work/work.mjs', await at.read('work.mjs'));
  expect((await at.robosmith('run', '--in', 'work', '--trust')).code).toBe(3);
  const { run } = await at.newest();
  await at.unlink('work');
  const { code, out, err } = await at.robosmith('resume', run, '--next', '--json');
  expect([code, errorOf(out)]).toEqual([
    2,
    {
      code: 'io',
      message: `work, the directory of ${run}, no longer exists. Restore it first.`,
      next: [`robosmith runs show ${run}`],
    },
  ]);
  for (const command of nextCommands(err)) expect((await at.robosmith(...command)).code).toBe(0);
});

test('a run moves with its project', async () => {
  at = await durableProject({ 'fail-B': '' });
  await at.robosmith(...RUN);
  const { run } = await at.newest();
  const moved = path.join(at.folder, '..', 'elsewhere');
  await at.move(moved);
  const { code } = await at.robosmith('-C', '../elsewhere', 'resume', run, '--next', '--trust');
  expect(code).toBe(0);
});

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { verifies } from '../verifies.ts';
import { type Failure, type Inbox, responseOf, type RunStory, statusOf } from './durable-documents.ts';
import { chain, type DurableProject, durableProject, RUN } from './durable.ts';
import { hostedProject } from './hosted.ts';
import { nextCommands, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

const errorOf = (out: string) => (JSON.parse(out) as Failure).error;

describe('runs', () => {
  test('without any: says so, and what to do', async () => {
    verifies('cli.runs', 'cli.error.next-command-works');
    at = await durableProject();
    const { code, out, err } = await at.robosmith('runs');
    expect([code, out]).toEqual([0, 'No runs yet in this project.\n']);
    for (const command of nextCommands(err)) expect((await at.robosmith(...command)).code).toBe(0);
    expect(await at.runs()).toEqual([]);
    expect((await at.robosmith('inbox')).out).toBe('Nothing waits for you.\n');
    expect(await readdir(at.file('.flow'))).toEqual(['.keep']);
  });

  test('lists them, the newest first: where from, how, where, steps, age, what waits', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    await at.unlink('fail-B');
    await at.robosmith('run', 'Main__B', '--in', '.');
    const [done, halted] = await at.runs();
    const { code, out, err } = await at.robosmith('runs');
    expect(code).toBe(0);
    expect(out.replaceAll(/ +\d+s\b/g, '  AGE')).toBe(
      [
        'run              started from  status     at  steps  age',
        `✓ ${done?.run ?? ''}  Main          completed  C       2  AGE`,
        `■ ${halted?.run ?? ''}  Main          halted     B       2  AGE  flagged`,
        '',
      ].join('\n'),
    );
    expect(nextCommands(err)).toEqual([['inbox']]);
  });

  test('a word that is no command of runs is refused; one that looks like a run is shown the way', async () => {
    verifies('cli.error.next-command-works');
    at = await durableProject();
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    const slip = await at.robosmith('runs', 'shwo', run);
    expect([slip.code, slip.err.split('\n')[0]]).toEqual([
      2,
      '✗ usage  "shwo" is not a command of runs. Did you mean "show"?',
    ]);
    const bare = await at.robosmith('runs', run);
    const [next = []] = nextCommands(bare.err);
    expect([bare.code, next]).toEqual([2, ['runs', 'show', run]]);
    expect((await at.robosmith(...next)).code).toBe(0);
  });
});

describe('runs show', () => {
  const nested = () => ({
    ...chain(),
    nodes: {
      Main: {
        entry_block: 'A',
        blocks: {
          A: { worker: 'Worker:A', transitions: [to('SUCCESS', 'CALL:Sub:C')] },
          C: { worker: 'Worker:C', transitions: [to('SUCCESS', 'RETURN')] },
        },
      },
      Sub: {
        entry_block: 'B',
        blocks: {
          B: { worker: 'Worker:B', transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
        },
      },
    },
  });

  test('tells the path, a line a visit, indented by depth; at a halt what was said last, and the answers', async () => {
    verifies('cli.runs');
    at = await durableProject({ '.vision/workflows.json': nested(), 'fail-B': '' });
    await at.robosmith(...RUN, '--input', 'please do it');
    const { run } = await at.newest();
    const { code, out, err } = await at.robosmith('runs', 'show', run);
    expect(code).toBe(0);
    expect(out.replaceAll(/\b(?:\d+ms|[\d.]+s)\b/g, 'TIME')).toBe(
      [
        `■ Main  ${run}  halted  2 steps · TIME · began TIME ago`,
        '  in . · .vision/workflows.json',
        '  request: please do it',
        '',
        '     Main',
        '  1    ✓ A  SUCCESS  → call Sub, then C',
        '       Sub',
        '  2      ✗ B  FAILURE  → halt',
        '',
      ].join('\n'),
    );
    expect(err).toContain('■ Sub__B waits for a person after SIGNAL:FAILURE');
    expect(err).toContain('  | B said it\n');
    expect(nextCommands(err)[1]).toEqual(['resume', run, '--halt', 'h1', '--next']);
    const story = JSON.parse((await at.robosmith('runs', 'show', run, '--json')).out) as RunStory;
    expect(story.path.map(({ step, depth, block, signal }) => [step, depth, block, signal])).toEqual([
      [1, 0, 'Main__A', 'SIGNAL:SUCCESS'],
      [2, 1, 'Sub__B', 'SIGNAL:FAILURE'],
    ]);
    expect([story.summary.status, story.response?.reason]).toEqual(['halted', 'halted']);
    expect(await at.ran()).toEqual(['A', 'B']);
  });

  test('of a run that is over has its Response', async () => {
    verifies('cli.runs');
    at = await durableProject();
    const { out } = await at.robosmith(...RUN, '--json');
    const { run } = await at.newest();
    const story = JSON.parse((await at.robosmith('runs', 'show', run, '--json')).out) as RunStory;
    const { metadata, ...ended } = responseOf(out);
    const { metadata: again, ...shown } = story.response ?? responseOf(out);
    expect(shown).toEqual(ended);
    expect({ ...again, duration_ms: 0 }).toEqual({ ...metadata, duration_ms: 0 });
  });

  test('of a run that has failed says why, and how it goes on', async () => {
    at = await durableProject({
      '.vision/workflows.json': chain({
        blocks: { C: { worker: 'Worker:C', transitions: [to('OTHER', 'RETURN')] } },
      }),
    });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    const { out, err } = await at.robosmith('runs', 'show', run);
    expect(out).toContain('  3    ✓ C  SUCCESS  no transition handles it\n');
    expect(err).toContain('✗ no_transition  Main__C ended with SIGNAL:SUCCESS, and no transition handles that');
    for (const command of nextCommands(err)) expect((await at.robosmith(...command)).code).toBe(0);
  });
});

describe('runs events', () => {
  const eventsOf = (out: string): readonly RoboSmithEvent[] =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RoboSmithEvent);

  test('are those that --jsonl told, over all processes, without gaps', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'fail-B': '' });
    const first = await at.robosmith(...RUN, '--jsonl');
    const { run } = await at.newest();
    const second = await at.robosmith('resume', run, '--next', '--jsonl');
    const { code, out } = await at.robosmith('runs', 'events', run);
    expect(code).toBe(0);
    expect(out).toBe(first.out + second.out);
    expect(eventsOf(out).map(({ seq }) => seq)).toEqual(eventsOf(out).map((_, index) => index + 1));
    const document = JSON.parse((await at.robosmith('runs', 'events', run, '--json')).out) as {
      readonly events: unknown;
    };
    expect(document.events).toEqual(eventsOf(out));
  });

  test('--follow goes on until the run has ended', async () => {
    verifies('cli.runs', 'engine.host.own-process');
    at = await durableProject({ 'hold-B': '' });
    const running = await at.until('B said it', ...RUN, '--jsonl');
    const { run } = await at.newest();
    const following = await at.until('B said it', 'runs', 'events', run, '--follow');
    await at.unlink('hold-B');
    const [ran, followed] = await Promise.all([running.ended, following.ended]);
    expect([followed.code, followed.out]).toEqual([0, ran.out]);
  });

  test('--follow says once what it can’t read', async () => {
    at = await durableProject({ 'hold-B': '' });
    const running = await at.until('B said it', ...RUN, '--jsonl');
    const { run } = await at.newest();
    await at.write('.flow/logs/events.1.jsonl', `{"run_id":"${run}"\n`);
    const following = await at.until('B said it', 'runs', 'events', run, '--follow');
    await at.unlink('hold-B');
    await running.ended;
    expect((await following.ended).err).toBe("! 1 line of the event log can't be read\n");
  });

  test('--follow waits for the last events of a run whose end the journal has already', async () => {
    const host = await hostedProject({});
    at = host;
    await host.robosmith(...RUN);
    const { run } = await host.newest();
    const log = host.file('.flow/logs/events.jsonl');
    const whole = readFileSync(log, 'utf8');
    await host.startHost();
    const early = whole.split('\n').slice(0, -4).join('\n');
    writeFileSync(log, `${early}\n`);
    const following = await host.until('"run.started"', 'runs', 'events', run, '--follow');
    appendFileSync(log, whole.slice(early.length + 1));
    const { code, out } = await following.ended;
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, whole.trimEnd().split('\n').length]);
    expect(eventsOf(out).at(-1)?.type).toBe('run.finished');
  });

  test.skipIf(process.platform === 'win32')(
    '--follow ends with the process that ran it, and with Ctrl-C at a halt',
    async () => {
      at = await durableProject({ 'hold-B': '', 'fail-C': '' });
      const running = await at.until('B said it', ...RUN, '--jsonl');
      const { run } = await at.newest();
      const following = await at.until('B said it', 'runs', 'events', run, '--follow');
      running.signal('SIGKILL');
      expect((await following.ended).code).toBe(0);
      await at.unlink('hold-B');
      expect((await at.robosmith('resume', run)).code).toBe(3);
      const waiting = await at.until('"run.halted"', 'runs', 'events', run, '--follow');
      waiting.signal('SIGINT');
      const { code, err } = await waiting.ended;
      // The notification about the halt goes to stderr; stdout contains events only.
      expect([code, err]).toEqual([
        0,
        `■ Main__C waits for a person: its transition halts the run. robosmith resume ${run} shows the possible answers; press Ctrl-C to stop following.\n`,
      ]);
    },
  );
});

describe('runs replay', () => {
  test('comes out the same, and executes nothing; with another manifest it says where the path would part', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await at.robosmith('resume', run, '--next');
    const same = await at.robosmith('runs', 'replay', run);
    expect([same.code, same.out]).toEqual([0, '✓ The same path, 3 steps.\n']);
    const { B } = chain().nodes.Main.blocks;
    const other = chain({ blocks: { B: { ...B, transitions: [to('FAILURE', 'RETURN'), ...B.transitions] } } });
    await at.write('other.json', other);
    const parted = await at.robosmith('runs', 'replay', run, '--manifest', 'other.json');
    expect([parted.code, parted.out]).toEqual([
      1,
      [
        '✗ Another path. The first difference:',
        '  recorded  step 2, Main__B#1: SIGNAL:FAILURE, HALT_AND_FLAG',
        '  now       step 2, Main__B#1: SIGNAL:FAILURE, RETURN',
        '',
      ].join('\n'),
    ]);
    const document = JSON.parse(
      (await at.robosmith('runs', 'replay', run, '--manifest', 'other.json', '--json')).out,
    ) as object;
    expect(document).toMatchObject({ same: false, steps: 3, difference: { now: { action: 'RETURN' } } });
    expect((await at.robosmith('runs', 'replay', run, '--manifest', 'none.json')).code).toBe(2);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });
});

describe('runs fork', () => {
  test('starts a new run from a step of an old one, which stays as it is', async () => {
    verifies('cli.runs');
    at = await durableProject();
    await at.robosmith(...RUN);
    const { run: old } = await at.newest();
    const { code, out, err } = await at.robosmith('runs', 'fork', `${old}@2`, '--json');
    const { run: fork } = await at.newest();
    expect([code, responseOf(out).metadata.run_id, responseOf(out).metadata.steps]).toEqual([0, fork, 3]);
    expect(err.split('\n')[0]).toBe(`▶ Main  ${fork} · forked from ${old}@2 · after 1 step · in .`);
    expect(await at.ran()).toEqual(['A', 'B', 'C', 'B', 'C']);
    expect((await at.robosmith('runs')).out).toMatch(new RegExp(`^✓ ${fork} .* from ${old}@2$`, 'm'));
    expect((await at.robosmith('runs', 'replay', old)).code).toBe(0);
  });

  test('--no-start only makes it', async () => {
    at = await durableProject();
    await at.robosmith(...RUN);
    const { run: old } = await at.newest();
    const { code, err } = await at.robosmith('runs', 'fork', `${old.slice(0, 8)}@3`, '--no-start');
    expect(code).toBe(0);
    const { run: fork } = await at.newest();
    expect(nextCommands(err)).toEqual([['resume', fork]]);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
    expect((await at.robosmith('resume', fork)).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C', 'C']);
  });

  test('refuses a step that is not there, and names the range', async () => {
    verifies('cli.error.next-command-works');
    at = await durableProject();
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    for (const [step, message] of [
      [`${run}@4`, `${run} has no step 4: it has steps 1 to 3.`],
      [`${run}@0`, `${run} has no step 0: it has steps 1 to 3.`],
      [run, `"${run}" is not a step: write <run>@<step>, with a step number from \`robosmith runs show\`.`],
    ] as const) {
      const { code, out, err } = await at.robosmith('runs', 'fork', step, '--json');
      expect([code, errorOf(out).message]).toEqual([2, message]);
      for (const command of nextCommands(err)) expect((await at.robosmith(...command)).code).toBe(0);
    }
    expect(await at.runs()).toHaveLength(1);
  });
});

describe('runs prune', () => {
  test('removes what is over and matches all that is given; --dry-run only says so', async () => {
    verifies('cli.runs', 'cli.error.next-command-works');
    at = await durableProject({ 'fail-B': '' });
    await at.robosmith(...RUN);
    await at.unlink('fail-B');
    for (let count = 0; count < 3; count += 1) await at.robosmith(...RUN);
    const [third, second, first, halted] = (await at.runs()).map(({ run }) => run);
    const planned = await at.robosmith('runs', 'prune', '--keep', '1', '--dry-run');
    const row = (run = ''): string => `✓ ${run}  Main  completed  C  3  AGE\n`;
    expect([
      planned.code,
      planned.out
        .replace(/[\d.]+ KB/, 'SIZE')
        .replace(/\d+s$/gm, 'AGE')
        .replace(/ {2,}/g, '  '),
    ]).toEqual([
      0,
      `run  started from  status  at  steps  age\n${row(second)}${row(first)}\n2 runs would be removed, SIZE would be free.\n`,
    ]);
    expect(await at.runs()).toHaveLength(4);
    const recent = await at.robosmith('runs', 'prune', '--keep', '1', '--older-than', '1h');
    expect([recent.code, recent.out]).toEqual([0, 'Nothing to remove.\n']);
    const [next = []] = nextCommands(planned.err);
    const { out } = await at.robosmith(...next, '--json');
    expect(JSON.parse(out)).toMatchObject({ ok: true, dry_run: false, runs: [first, second] });
    expect((await at.runs()).map(({ run }) => run)).toEqual([third, halted]);
    expect((await at.robosmith('resume', halted ?? '', '--next')).code).toBe(0);
    const emptied = await at.robosmith('runs', 'prune', '--max-size', '0 KB', '--dry-run');
    const [all = []] = nextCommands(emptied.err);
    expect(all).toEqual(['runs', 'prune', '--max-size', '0 KB']);
    expect((await at.robosmith(...all)).code).toBe(0);
    expect(await at.runs()).toEqual([]);
    expect(await readdir(at.file('.flow/blobs'))).toEqual([]);
  });

  test('what runs that went before have left is named as what it is', async () => {
    verifies('cli.runs');
    at = await durableProject();
    await at.robosmith(...RUN);
    const blob = at.file(`.flow/blobs/${'a'.repeat(64)}`);
    await mkdir(path.dirname(blob), { recursive: true });
    await writeFile(blob, 'left');
    const prune = async (...flags: readonly string[]): Promise<string> =>
      (await at.robosmith('runs', 'prune', '--keep', '1', ...flags)).out;
    expect(await prune('--dry-run')).toBe('1 stored value that no run needs would be removed, 4 B would be free.\n');
    expect(await prune()).toMatch(/^1 stored value that no run needs was removed, \S+ K?B are free\.\n$/);
    expect(await prune()).toBe('Nothing to remove.\n');
  });

  test.each([
    [
      [],
      'Choose the runs to remove with --older-than 30d, --keep 20 or --max-size 100MB. With several, a run must match all of them.',
    ],
    [['--older-than', '30'], '"30" is not an age: write a number and m, h, d or w, for example 30d.'],
    [['--keep', 'x'], '"x" is not a number of runs.'],
    [['--max-size', 'big'], '"big" is not a size: write a number and KB, MB or GB, for example 100MB.'],
  ])('%j is a usage error', async (flags, message) => {
    at = await durableProject();
    const { code, err } = await at.robosmith('runs', 'prune', ...flags);
    expect([code, err.split('\n')[0]]).toEqual([2, `✗ usage  ${message}`]);
    expect((await at.robosmith(...(nextCommands(err)[0] ?? []))).code).toBe(0);
  });
});

test('a run of which one branch waits and another works is running, and what waits is in the inbox', async () => {
  verifies('engine.halt.fork-siblings', 'cli.runs', 'cli.inbox');
  const { nodes, ...rest } = chain();
  const { A, B, C } = nodes.Main.blocks;
  const fork = { ...A, transitions: [to('SUCCESS', 'FORK:L,R')] };
  const manifest = {
    ...rest,
    nodes: {
      Main: { entry_block: 'A', blocks: { A: fork } },
      L: { entry_block: 'B', blocks: { B: { ...B, gate: true, transitions: [to('SUCCESS', 'RETURN')] } } },
      R: { entry_block: 'C', blocks: { C: { ...C, transitions: [to('SUCCESS', 'RETURN')] } } },
    },
  };
  at = await durableProject({ '.vision/workflows.json': manifest, 'hold-C': '' });
  const running = await at.until('C said it', ...RUN, '--jsonl');
  const { run } = await at.newest();
  const listed = async () => {
    const [listing] = await at.runs();
    const { waiting } = JSON.parse((await at.robosmith('inbox', '--json')).out) as Inbox;
    return [statusOf(listing), waiting.map((one) => [one.run, one.block])];
  };
  expect(await listed()).toEqual(['running', [[run, 'L__B']]]);
  await at.unlink('hold-C');
  expect((await running.ended).code).toBe(3);
  expect(await listed()).toEqual(['halted', [[run, 'L__B']]]);
  expect((await at.robosmith('inbox')).out).toContain(`run ${run} · Main /Main__A#1[0] · 2 steps`);
  expect((await at.robosmith('resume', '--proceed')).code).toBe(0);
});

test('inbox: what waits, the oldest first, with commands that answer it', async () => {
  verifies('cli.inbox', 'cli.error.next-command-works');
  at = await durableProject({ 'fail-B': '' });
  await at.robosmith(...RUN);
  await at.robosmith(...RUN, '--step');
  const [younger, older] = (await at.runs()).map(({ run }) => run);
  const { code, out } = await at.robosmith('inbox');
  expect(code).toBe(0);
  const shown = out.replaceAll(/\b\d+s\b/g, 'AGE').replace(/\| .* exited with 1 after .*/, '| PROGRAM exited with 1');
  expect(shown).toBe(
    [
      '■ Main__B  AGE  Its transition halts the run.',
      `  run ${older ?? ''} · Main · 2 steps`,
      '  | PROGRAM exited with 1',
      '  | B said it',
      `    robosmith resume ${older ?? ''} --halt h1 --retry`,
      '    or --next, --jump <block>, --abort',
      '',
      '■ Main__A  AGE  The run is in step mode.',
      `  run ${younger ?? ''} · Main · 0 steps`,
      `    robosmith resume ${younger ?? ''} --halt h1 --proceed`,
      '    or --next, --jump <block>, --abort',
      '',
      '2 items wait for you. Add --guidance <text> to any answer; `robosmith runs show <run>` says more.',
      '',
    ].join('\n'),
  );
  const { waiting } = JSON.parse((await at.robosmith('inbox', '--json')).out) as Inbox;
  expect(waiting.map(({ run, block, why, answers }) => [run, block, why, answers])).toEqual([
    [
      older,
      'Main__B',
      'flagged',
      ['--retry', '--next', '--abort'].map((verb) => `robosmith resume ${older ?? ''} --halt h1 ${verb}`),
    ],
    [
      younger,
      'Main__A',
      'step',
      ['--proceed', '--next', '--abort'].map((verb) => `robosmith resume ${younger ?? ''} --halt h1 ${verb}`),
    ],
  ]);
  expect((await at.robosmith('resume', older ?? '', '--next')).code).toBe(0);
  expect((await at.robosmith('resume', younger ?? '', '--abort')).code).toBe(1);
  expect((await at.robosmith('inbox')).out).toBe('Nothing waits for you.\n');
  expect((await at.runs()).map(statusOf)).toEqual(['cancelled', 'completed']);
});

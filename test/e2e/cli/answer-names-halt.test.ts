import { afterEach, describe, expect, test } from 'vitest';
import { type Failure } from './durable-documents.ts';
import { chain, RUN, worker } from './durable.ts';
import { type HostedProject, hostedProject } from './hosted.ts';
import { NODE, nextCommands, to } from './robosmith.ts';
import { until } from '../../support/until.ts';

let at: HostedProject;
afterEach(() => at.remove());

const gate = (name: string, then: string) => ({
  worker: `Worker:${name}`,
  gate: true,
  transitions: [to('SUCCESS', then), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
});

/** Two gates in a row. */
const TWO_GATES = chain({ blocks: { A: gate('A', 'JUMP:B'), B: gate('B', 'JUMP:C') } });

const node = (block: object) => ({ entry_block: 'G', blocks: { G: block } });

/** A fork of a command and a gate. */
const FORK = {
  ...chain(),
  nodes: {
    Main: {
      entry_block: 'Start',
      blocks: {
        Start: {
          worker: 'Worker:A',
          transitions: [to('SUCCESS', 'FORK:Slow,Gated'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
    Slow: node({ worker: 'Worker:B', transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'RETURN')] }),
    Gated: node(gate('C', 'RETURN')),
  },
};

const errorOf = (out: string) => (JSON.parse(out) as Failure).error;

describe.each([false, true])('an answer, with a host: %s', (isHosted) => {
  const begin = async (manifest: object): Promise<string> => {
    at = await hostedProject({ '.vision/workflows.json': manifest });
    if (isHosted) await at.startHost();
    expect((await at.robosmith(...RUN)).code).toBe(3);
    return (await at.newest()).run;
  };

  test('counts only for the halt that its command names', async () => {
    const run = await begin(TWO_GATES);
    const shown = (await at.robosmith('resume', run)).err;
    const [first = []] = nextCommands(shown);
    expect(first).toEqual(['resume', run, '--halt', 'h1', '--proceed']);
    const listed = JSON.parse((await at.robosmith('inbox', '--json')).out) as { waiting: { answers: string[] }[] };
    for (const command of listed.waiting.flatMap(({ answers }) => answers)) expect(command).toContain('--halt h1');
    const halted = await at.robosmith(...first, '--json');
    expect(halted.code).toBe(3);
    const { details } = JSON.parse(halted.out) as { details: { halts: { answers: string[] }[] } };
    for (const command of details.halts.flatMap(({ answers }) => answers)) expect(command).toContain('--halt h2');
    const again = await at.robosmith(...first, '--json');
    expect([again.code, errorOf(again.out).message]).toEqual([
      2,
      `h1 (Main__A, gate) of ${run} was answered with "proceed"; since then finished: Main__A SIGNAL:SUCCESS. Open halt: h2 (Main__B, gate).`,
    ]);
    expect(errorOf(again.out).next).toContain(`robosmith resume ${run} --halt h2 --proceed`);
    expect(await at.ran()).toEqual(['A']);
  });

  test('without a name is taken for the first halt of a run, and refused for any later one', async () => {
    const run = await begin(TWO_GATES);
    expect((await at.robosmith('resume', run, '--proceed')).code).toBe(3);
    const second = await at.robosmith('resume', run, '--proceed', '--guidance', 'be quick', '--json');
    expect([second.code, errorOf(second.out)]).toEqual([
      2,
      {
        code: 'usage',
        message: `${run} has waited before, and --proceed could mean another halt; confirm with --halt: h2 (Main__B, gate).`,
        next: [`robosmith resume ${run} --halt h2 --proceed --guidance "be quick"`],
      },
    ]);
    expect(await at.ran()).toEqual(['A']);
    expect((await at.robosmith('resume', run, '--halt', 'h2', '--proceed')).code).toBe(0);
    const over = await at.robosmith('resume', run, '--halt', 'h2', '--proceed', '--json');
    expect(errorOf(over.out).message).toBe(
      `h2 (Main__B, gate) of ${run} was answered with "proceed"; since then finished: Main__B SIGNAL:SUCCESS, Main__C SIGNAL:SUCCESS. The run is completed. ${run} is completed and can't be resumed.`,
    );
  });

  test('without a run is refused if it could be for several runs', async () => {
    await begin(TWO_GATES);
    expect((await at.robosmith(...RUN)).code).toBe(3);
    const [newer, older] = await at.runs();
    const refused = await at.robosmith('resume', '--proceed', '--json');
    expect([refused.code, errorOf(refused.out).next]).toEqual([
      2,
      [`robosmith resume ${newer?.run} --proceed`, `robosmith resume ${older?.run} --proceed`],
    ]);
    expect(await at.ran()).toEqual([]);
  });
});

test('an answer that comes while a run is being paused is kept, and used when the run continues', async () => {
  at = await hostedProject({ '.vision/workflows.json': FORK, 'hold-B': '' });
  await at.startHost();
  const run = await at.detach();
  await until(async () => (await at.ran()).includes('B'), 'the command');
  await until(async () => (await at.robosmith('inbox', '--json')).out.includes('"h1"'), 'the gate');
  expect((await at.robosmith('runs', 'pause', run)).code).toBe(0);
  const answering = at.until('answered: proceed', 'resume', run, '--halt', 'h1', '--proceed');
  const { ended } = await answering;
  await at.unlink('hold-B');
  expect((await ended).err).toContain('paused');
  expect(await at.ran()).toEqual(['A', 'B']);
  const paused = JSON.parse((await at.robosmith('inbox', '--json')).out) as { waiting: unknown[] };
  expect(paused.waiting).toEqual([]);
  expect((await at.robosmith('resume', run)).code).toBe(0);
  expect(await at.ran()).toEqual(['A', 'B', 'C']);
});

describe.skipIf(process.platform === 'win32')('an interrupted block whose repetition could repeat its effects', () => {
  const cutOff = async (): Promise<string> => {
    const check = [NODE, '-e', "process.exit(require('fs').existsSync('sent') ? 0 : 1)"];
    at = await hostedProject({
      '.vision/workflows.json': chain({
        workers: { 'Worker:A': worker('A', 'non_idempotent') },
        blocks: {
          A: {
            worker: 'Worker:A',
            check: { command: check },
            transitions: [to('SUCCESS', 'JUMP:C'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
          },
        },
      }),
      'hold-A': '',
    });
    const { signal, ended } = await at.until('▶ Main', ...RUN);
    await until(async () => (await at.ran()).includes('A'), 'the block');
    signal('SIGKILL');
    await ended;
    const { run } = await at.newest();
    const halted = await at.robosmith('resume', run);
    expect(halted.code).toBe(3);
    expect(nextCommands(halted.err).map((words) => words.join(' '))).toContain(`resume ${run} --halt h1 --proceed`);
    return run;
  };

  test('is taken as done if a person says so and its check passes', async () => {
    const run = await cutOff();
    const refused = await at.robosmith('resume', run, '--halt', 'h1', '--proceed');
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('It is not taken as done.');
    await at.write('sent', '');
    expect((await at.robosmith('resume', run, '--halt', 'h2', '--proceed')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'C']);
    expect((await at.robosmith('runs', 'replay', run)).code).toBe(0);
  });
});

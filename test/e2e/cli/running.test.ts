import { readFile, readdir } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { verifies } from '../verifies.ts';
import { ANSWERS, ended, manifest, nextCommands, NODE, project, start, to, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const PASSES = [NODE, '-e', 'require("fs").appendFileSync("ran", "x")'];
const FAILS = [NODE, '-e', 'console.log("it is broken"); process.exit(1)'];

const files = (test: readonly string[], more: object = {}) => ({
  '.vision/workflows.json': manifest(test, more),
  '.vision/answers.json': ANSWERS,
  '.flow/.keep': '',
});

const response = (text: string): Response => JSON.parse(text) as Response;
const halts = ({ details }: Response): readonly Halt[] => details['halts'] as readonly Halt[];

describe('run', () => {
  test('works in the directory given, tells how it goes, and ends with 0', async () => {
    verifies('cli.run.in-directory', 'cli.progress.piped', 'cli.exit-codes', 'cli.run.trust');
    at = await project({ ...files(PASSES), 'work/x.txt': '' });
    const { code, out, err } = await at.robosmith('run', 'Main', '--in', 'work', '--trust');
    expect(code).toBe(0);
    expect(out).toBe('');
    expect(err.replace(/\b(\d+ms|[\d.]+s)\b( · )?/g, '').replaceAll(/r[0-9a-f]{12}/g, 'RUN')).toBe(
      [
        '▶ Main  RUN · in work · .vision/workflows.json',
        '  Main',
        '    ✓ Make  SUCCESS  → Test  scripted',
        '    ✓ Test  SUCCESS  → return  ',
        '✓ Completed in 2 steps, .  RUN',
        '',
      ].join('\n'),
    );
    expect(await readdir(at.file('work'))).toEqual(['ran', 'x.txt']);
  });

  test('begins at the entry of the manifest when no start is named', async () => {
    verifies('manifest.shape.entry');
    at = await project(files(PASSES));
    const { code, out } = await at.robosmith('run', '--in', '.', '--trust', '--json');
    expect([code, response(out).path[0]?.node]).toEqual([0, 'Main']);
  });

  test('is told to name a start when the manifest has several nodes and no entry', async () => {
    const one = manifest(PASSES);
    const several = { ...one, entry: undefined, nodes: { ...one.nodes, Other: one.nodes.Main } };
    at = await project({ ...files(PASSES), '.vision/workflows.json': several });
    const { code, err } = await at.robosmith('run', '--in', '.', '--trust');
    expect(code).toBe(2);
    expect(err).toContain('the manifest has no "entry"');
  });

  test('starts the only node when the manifest has no entry', async () => {
    at = await project({ ...files(PASSES), '.vision/workflows.json': { ...manifest(PASSES), entry: undefined } });
    expect((await at.robosmith('run', '--in', '.', '--trust')).code).toBe(0);
  });

  test('asks for trust before anything runs, once', async () => {
    verifies('cli.run.trust', 'cli.error.next-command-works');
    at = await project(files(PASSES));
    const refused = await at.robosmith('run', 'Main', '--in', '.', '--json');
    expect(refused.code).toBe(2);
    expect(response(refused.out).reason).toBe('not_trusted');
    expect(await readdir(at.folder)).not.toContain('ran');
    const [next = []] = nextCommands(refused.err);
    expect(next).toEqual(['run', 'Main', '--in', '.', '--trust']);
    expect((await at.robosmith(...next)).code).toBe(0);
    expect((await at.robosmith('run', 'Main', '--in', '.')).code).toBe(0);
    expect(await readFile(at.file('ran'), 'utf8')).toBe('xx');
  });

  test('--input is the first segment: text, or a file', async () => {
    verifies('cli.run.input', 'cli.run.block', 'cli.json.one-document');
    at = await project({ ...files(PASSES), 'task.md': 'from a file' });
    const inputOf = async (input: string): Promise<string | undefined> => {
      const { out } = await at.robosmith('run', 'Main__Last', '--in', '.', '--trust', '--json', '--input', input);
      return response(out).data.payload[0]?.content;
    };
    expect(await inputOf('from the line')).toBe('from the line');
    expect(await inputOf('@task.md')).toBe('from a file');
  });

  test('--script answers for the blocks that it names, and only for them', async () => {
    verifies('cli.run.script', 'cli.script.text');
    at = await project({
      ...files(PASSES),
      's.json': { Main__Make: [{ text: 'as a model says it\nSIGNAL:SUCCESS' }] },
    });
    const { out, code } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json', '--script', 's.json');
    expect(code).toBe(0);
    expect(response(out).data.payload.map(({ type }) => type)).toEqual(['CODE_OUTPUT', 'TEST_RESULT']);
    expect(await readdir(at.folder)).toContain('ran');
  });

  test.each([
    ['an id that the manifest lacks', { Main__Mkae: [{ signal: 'SIGNAL:SUCCESS' }] }],
    ['no object', []],
  ])('a script with %s is a usage error', async (_what, script) => {
    verifies('cli.script.unknown-id');
    at = await project({ ...files(PASSES), 's.json': script });
    const { code, err } = await at.robosmith('simulate', 'Main', '--script', 's.json');
    expect(code).toBe(2);
    expect(err).toMatch(/s\.json:1:1|s\.json:2:3/);
    expect(err).toContain('✗ usage  s.json has 1 error.');
  });

  test.each([
    [['run', 'Mian', '--in', '.', '--trust'], 2, 'unknown_node', 'Did you mean "Main"?'],
    [
      ['run', 'Main__Odd', '--in', '.', '--trust'],
      1,
      'no_transition',
      'Main__Odd ended with SIGNAL:SUCCESS, and no transition handles that',
    ],
  ])('%j ends with %i, %s', async (args, code, reason, message) => {
    verifies('cli.exit-codes', 'cli.error.code', 'cli.error.next-command-works');
    at = await project(files(PASSES));
    const ended = await at.robosmith(...args, '--json');
    expect([ended.code, response(ended.out).reason]).toEqual([code, reason]);
    expect(ended.err).toContain(message);
    for (const command of nextCommands(ended.err)) expect((await at.robosmith(...command)).code).toBe(0);
  });

  test('without .flow/ nothing is run, and init is the way', async () => {
    verifies('cli.exit-codes', 'cli.error.next-command-works');
    at = await project({ '.vision/workflows.json': manifest(PASSES), '.vision/answers.json': ANSWERS });
    const { code, out, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
    expect([code, response(out).reason]).toEqual([2, 'root_not_found']);
    expect(nextCommands(err)).toEqual([['init']]);
  });

  test('a manifest with errors is a Response with its diagnostics', async () => {
    verifies('cli.exit-codes');
    at = await project({ ...files(PASSES), '.vision/workflows.json': '{}' });
    const { code, out } = await at.robosmith('run', 'Main', '--in', '.', '--json');
    expect([code, response(out).reason]).toEqual([2, 'invalid_graph']);
    expect(response(out).details['diagnostics']).not.toEqual([]);
  });
});

describe('halts', () => {
  test('end the run with 3, say what was said last, and how to answer: each answer works as printed', async () => {
    verifies('cli.run.prompt', 'cli.exit-codes', 'cli.error.next-command-works');
    at = await project(files(FAILS));
    const answered = async (index: number): Promise<readonly unknown[]> => {
      const { code, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust');
      expect(code).toBe(3);
      expect(err).toContain('■ Main__Test waits for a person after SIGNAL:FAILURE');
      expect(err).toContain('  | it is broken\n');
      expect(err).toContain('waits on disk; no process needs to keep running.');
      const commands = nextCommands(err);
      expect(commands).toHaveLength(4);
      const command = commands[index] ?? [];
      const { code: then } = await at.robosmith(...command);
      const [, , flag, halt, ...rest] = command;
      expect([flag, halt]).toEqual(['--halt', 'h1']);
      return [...rest, then];
    };
    expect(await answered(0)).toEqual(['--retry', 3]);
    expect(await answered(1)).toEqual(['--next', 0]);
    expect(await answered(2)).toEqual(['--jump', 'Main__Make', 3]);
    expect(await answered(3)).toEqual(['--abort', 1]);
  });

  test('details.halts has the commands, too', async () => {
    verifies('cli.response.fields');
    at = await project(files(FAILS));
    const { out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--json');
    const [halt] = halts(response(out));
    expect(halt).toMatchObject({ halt_id: 'h1', block: 'Main__Test', frame: '/', why: 'flagged' });
    expect(halt?.answers[1]).toBe(`robosmith resume ${response(out).metadata.run_id ?? ''} --halt h1 --next`);
  });

  test('an answer that a halt does not take is refused in words', async () => {
    at = await project(files(FAILS));
    const { code, err } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--answer', 'Main__Test=proceed');
    expect(code).toBe(3);
    expect(err).toContain('! Main__Test cannot be answered with "proceed" here; it accepts retry, next, jump, abort.');
  });

  test('--step halts before every block', async () => {
    verifies('cli.run.step');
    at = await project(files(PASSES));
    const answers = ['Main__Make=proceed', 'Main__Test=proceed'].flatMap((answer) => ['--answer', answer]);
    const first = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--step', '--json');
    expect([first.code, halts(response(first.out))[0]?.why]).toEqual([3, 'step']);
    expect((await at.robosmith('run', 'Main', '--in', '.', '--step', ...answers)).code).toBe(0);
  });
});

describe('simulate', () => {
  test('gives the same bytes from anywhere, and touches nothing', async () => {
    verifies(
      'cli.simulate.same-bytes',
      'cli.script.delay',
      'cli.simulate.stubbed',
      'cli.no-flow-needed',
      'cli.simulate.virtual-time',
    );
    at = await project({
      '.vision/workflows.json': manifest(FAILS),
      '.vision/answers.json': ANSWERS,
      's.json': { '*': [{ signal: 'SIGNAL:SUCCESS', delay_ms: 3_600_000 }] },
    });
    const one = await at.robosmith('simulate', 'Main', '--script', 's.json', '--json');
    expect(one.code).toBe(0);
    expect(response(one.out).metadata.duration_ms).toBe(7_200_000);
    const other = await project({});
    try {
      const two = await other.robosmith(
        'simulate',
        'Main',
        '--script',
        at.file('s.json'),
        '--manifest',
        at.file('.vision/workflows.json'),
        '--json',
      );
      expect(two.out).toBe(one.out);
    } finally {
      await other.remove();
    }
    expect(await readdir(at.folder)).toEqual(['.vision', 's.json', 'x.txt']);
  });

  test('takes answers to halts as well', async () => {
    at = await project({
      '.vision/workflows.json': manifest(FAILS),
      '.vision/answers.json': ANSWERS,
      's.json': { '*': [{ signal: 'SIGNAL:FAILURE' }] },
    });
    const halted = await at.robosmith('simulate', 'Main', '--script', 's.json');
    expect(halted.code).toBe(3);
    const next = nextCommands(halted.err).find((command) => command.at(-1) === 'Main__Make=abort') ?? [];
    expect((await at.robosmith(...next)).code).toBe(1);
  });
});

describe('--jsonl and signals', () => {
  test('streams the events in order, without gaps', async () => {
    verifies('cli.jsonl.events');
    at = await project(files(PASSES));
    const { code, out } = await at.robosmith('run', 'Main', '--in', '.', '--trust', '--jsonl');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RoboSmithEvent);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['run.started', 'run.finished']);
  });

  test.skipIf(process.platform === 'win32')('SIGINT stops the run and its process, exit 0', async () => {
    verifies('cli.exit-codes');
    at = await project(files([NODE, '-e', 'setInterval(() => undefined, 1000)']));
    const child = start(['run', 'Main__Test', '--in', '.', '--trust', '--jsonl'], at.folder);
    child.stdout.on('data', (part: Buffer) => {
      if (part.toString('utf8').includes('"block.started"')) child.kill('SIGINT');
    });
    const { code, err } = await ended(child);
    expect([code, err]).toEqual([0, expect.stringContaining('■ interrupted')]);
  });

  test("--json and --jsonl can't be combined", async () => {
    at = await project(
      files(PASSES, {
        nodes: {
          Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN')] } } },
        },
      }),
    );
    expect((await at.robosmith('run', 'Main', '--in', '.', '--json', '--jsonl')).code).toBe(2);
  });
});

import { spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Failure, responseOf, statusOf } from './durable-documents.ts';
import { chain, type DurableProject, durableProject, RUN } from './durable.ts';
import { NODE, nextCommands, PROGRAM, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

const errorOf = (out: string) => (JSON.parse(out) as Failure).error;

const journalOf = (run: string): string => path.join('.flow', 'runs', run, 'journal.jsonl');

describe('a damaged journal', () => {
  /** Changes a byte in the journal line with the path entry of block B, and returns the number of the line. */
  const damage = async (run: string): Promise<number> => {
    const lines = (await at.read(journalOf(run))).split('\n');
    const index = lines.findIndex((line) => line.includes('"type":"path"') && line.includes('"block":"Main__B"'));
    await at.write(
      journalOf(run),
      lines.map((line, at_) => (at_ === index ? line.replace('SIGNAL:', 'SIGNAM:') : line)).join('\n'),
    );
    await at.unlink(path.join('.flow', 'runs', run, `flow_state_${run}.json`));
    return index + 1;
  };

  test('keeps the values that it could need, and prune says so', async () => {
    verifies('cli.runs', 'cli.error.next-command-works');
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await damage(run);
    await at.unlink('fail-C');
    await at.robosmith(...RUN);
    const blobs = await readdir(at.file('.flow/blobs'));
    const pruned = await at.robosmith('runs', 'prune', '--keep', '0');
    expect(pruned.out).toMatch(/^1 run was removed, /m);
    expect(pruned.out).toContain(`Stored values were kept: ${run} is damaged and may refer to them.`);
    expect(nextCommands(pruned.err)).toEqual([['doctor']]);
    expect(await readdir(at.file('.flow/blobs'))).toEqual(blobs);
    expect((await at.runs()).map((one) => one.run)).toEqual([run]);
  });

  test('is listed as damaged, never gone on with, and can be forked from before the damage', async () => {
    verifies('cli.runs', 'cli.resume', 'cli.error.next-command-works');
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    const line = await damage(run);
    const [listing] = await at.runs();
    expect(listing).toMatchObject({ kind: 'damaged', run, line, why: 'its checksum does not match', steps: 1 });
    expect((await at.robosmith('runs')).out).toMatch(
      new RegExp(`^✗ ${run} +damaged +line ${line}: its checksum does not match$`, 'm'),
    );
    const { out, err } = await at.robosmith('inbox');
    expect([out, err]).toEqual([
      'Nothing waits for you.\n',
      expect.stringContaining(`${run} can't be read, so it is unknown whether it`),
    ]);
    expect(JSON.parse((await at.robosmith('inbox', '--json')).out)).toMatchObject({ damaged: [run] });
    const before = await at.read(journalOf(run));
    const resumed = await at.robosmith('resume', run, '--next', '--json');
    expect(resumed.code).toBe(1);
    const { reason, details } = responseOf(resumed.out);
    const file = at.file(journalOf(run));
    expect([reason, details['message']]).toEqual([
      'corrupt_state',
      `${file}, line ${line}: its checksum does not match`,
    ]);
    expect(await at.read(journalOf(run))).toBe(before);
    for (const verb of ['show', 'replay']) {
      const { code, out } = await at.robosmith('runs', verb, run, '--json');
      expect([code, errorOf(out).code, errorOf(out).next]).toEqual([
        1,
        'corrupt_state',
        [`robosmith runs fork ${run}@1`, 'robosmith doctor'],
      ]);
    }
    const doctor = await at.robosmith('doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(`fail  the run ${run} is damaged: ${file}, line ${line}: its checksum does not match`);
    const [fork = []] = nextCommands(resumed.err);
    expect(fork).toEqual(['runs', 'fork', `${run}@1`]);
    await at.unlink('fail-C');
    expect((await at.robosmith(...fork)).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C', 'A', 'B', 'C']);
  });

  test('is named by a resume without a run, whether or not another one can go on', async () => {
    verifies('cli.resume');
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    const line = await damage(run);
    const alone = await at.robosmith('resume', '--json');
    expect([alone.code, responseOf(alone.out).reason]).toEqual([1, 'corrupt_state']);
    expect(responseOf(alone.out).details['message']).toBe(
      `${at.file(journalOf(run))}, line ${line}: its checksum does not match`,
    );
    await at.robosmith(...RUN);
    const other = (await at.runs()).find((one) => one.kind === 'run')?.run ?? '';
    const beside = await at.robosmith('resume');
    expect([beside.code, beside.err.split('\n').slice(0, 2)]).toEqual([
      3,
      [
        `${run} can't be read, so ${other} is resumed. \`robosmith doctor\` says what is damaged.`,
        expect.stringContaining(`▶ Main  ${other} · resumed`),
      ],
    ]);
  });

  test('is found by doctor also where nothing but a byte has changed', async () => {
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    expect((await at.robosmith('doctor')).out).toContain('1 run, all can be read');
    const journal = await at.read(journalOf(run));
    await at.write(journalOf(run), journal.replace('"attempt":1', '"attempt":2'));
    const { code, out } = await at.robosmith('doctor');
    expect(code).toBe(1);
    expect(out).toContain(`the run ${run} is damaged: `);
    expect((await at.robosmith('resume', run, '--next')).code).toBe(1);
  });

  test('that is gone is damage too: the run is listed, and prune keeps what it could need', async () => {
    verifies('cli.runs', 'cli.resume');
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    const blobs = await readdir(at.file('.flow/blobs'));
    await at.unlink(journalOf(run));
    const [listing] = await at.runs();
    const why = /^lines are missing: the journal had \d+ lines$/;
    expect(listing).toMatchObject({
      kind: 'damaged',
      run,
      line: 1,
      why: expect.stringMatching(why) as string,
      steps: 0,
    });
    const resumed = await at.robosmith('resume', run, '--next', '--json');
    expect([resumed.code, responseOf(resumed.out).reason]).toEqual([1, 'corrupt_state']);
    expect((await at.robosmith('doctor')).out).toContain(`fail  the run ${run} is damaged: `);
    expect((await at.robosmith('runs', 'prune', '--keep', '0')).code).toBe(0);
    expect(await readdir(at.file('.flow/blobs'))).toEqual(blobs);
  });

  test('without a line, of a run that was cut off before it had begun, is no run', async () => {
    verifies('cli.runs');
    at = await durableProject();
    const run = 'r0123456789ab';
    await mkdir(path.dirname(at.file(journalOf(run))), { recursive: true });
    await at.write(journalOf(run), '');
    for (const verb of ['show', 'replay']) {
      const { code, out } = await at.robosmith('runs', verb, run, '--json');
      expect([code, errorOf(out)]).toMatchObject([
        2,
        { code: 'usage', message: `There is no run "${run}" in this project.`, next: ['robosmith runs'] },
      ]);
    }
  });

  test('whose last line is torn is as good as new', async () => {
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await at.write(journalOf(run), `${await at.read(journalOf(run))}{"n":99,"type":"ans`);
    expect(statusOf(await at.newest())).toBe('halted');
    expect((await at.robosmith('resume', run, '--next')).code).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('a full disk', () => {
  /**
   * Runs the program with a limit on the size of each file: `ulimit -f 40`, which is 20 to 40 kB depending on the
   * shell.
   */
  const narrow = (...args: readonly string[]) => {
    const command = [NODE, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('sh', ['-c', `ulimit -f 40; exec ${command}`], {
      cwd: at.folder,
      env: { ...process.env, CI: '1', NO_COLOR: '1', ROBOSMITH_CONFIG_DIR: path.join(at.folder, '..', 'config') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
    return new Promise<typeof text & { code: number | null }>((resolve) =>
      child.on('close', (code) => resolve({ code, ...text })),
    );
  };

  const loud = () => ({
    ...chain(),
    workers: {
      'Worker:Loud': { kind: 'command', command: [NODE, '-e', 'console.log("x".repeat(6000))'], side_effects: 'none' },
    },
    nodes: {
      Main: {
        entry_block: 'A',
        blocks: {
          A: {
            worker: 'Worker:Loud',
            transitions: [
              { ...to('SUCCESS', 'JUMP:A'), condition: { id: 'visits.less_than', args: [12] } },
              to('FAIL_DEFAULT', 'RETURN'),
            ],
          },
        },
      },
    },
  });

  test('ends the run as state_not_saved, with what could not be written; what was written stays, and goes on', async () => {
    verifies('engine.crash-barrier.disk');
    verifies('cli.exit-codes', 'cli.error.next-command-works');
    at = await durableProject({ '.vision/workflows.json': loud() });
    const { code, out, err } = await narrow(...RUN, '--json');
    expect(code).toBe(1);
    const { reason, details, metadata } = responseOf(out);
    expect(reason).toBe('state_not_saved');
    expect(details['message']).toMatch(/^the journal can't be written: EFBIG/);
    const lines = details['lines'] as string;
    expect(err).toContain(lines);
    expect(lines).toMatch(/^\{"n":\d+,"type":"\w+",.*,"s":\d+,"crc":"[0-9a-f]{8}"\}$/m);
    const { run } = await at.newest();
    expect(metadata.run_id).toBe(run);
    const [next = []] = nextCommands(err);
    expect(next).toEqual(['resume', run]);
    const resumed = await at.robosmith(...next, '--json');
    expect([resumed.code, responseOf(resumed.out).metadata.steps]).toEqual([0, 12]);
  });

  test('on which no state can be kept at all starts nothing', async () => {
    at = await durableProject();
    await at.write('.flow/runs', '');
    const { code, out } = await at.robosmith(...RUN, '--json');
    expect([code, responseOf(out).reason]).toEqual([1, 'state_not_saved']);
    expect(await at.ran()).toEqual([]);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { statusOf } from './durable-documents.ts';
import { verifies } from '../verifies.ts';
import { chain, type DurableProject, durableProject, RUN } from './durable.ts';

let at: DurableProject;
afterEach(() => at.remove());

const steer = async (
  verb: string,
  run: string,
): Promise<{ readonly code: number | null; readonly answer: unknown }> => {
  const { code, out } = await at.robosmith('runs', verb, run, '--json');
  return { code, answer: JSON.parse(out) as unknown };
};

describe('while another process runs the engine', () => {
  test('a second command joins it: it runs, prunes and stops there, and the first one waits for it', async () => {
    verifies('cli.exit-codes');
    at = await durableProject({ 'hold-A': '' });
    const first = await at.until('A said it', ...RUN, '--jsonl');
    const { run: one } = await at.newest();
    const second = await at.until('A said it', ...RUN, '--jsonl');
    const { out } = await at.robosmith('doctor');
    expect(out).toMatch(new RegExp(`ok {4}process ${first.pid} on .+ has been running the engine for \\d+s`));
    expect((await at.robosmith('runs', 'prune', '--keep', '1')).code).toBe(0);
    expect((await at.robosmith('runs', 'stop', one)).code).toBe(0);
    expect((await at.runs()).map(statusOf)).toEqual(['running', 'interrupted']);
    await first.says('Other commands use the engine of this process');
    await at.unlink('hold-A');
    const [two, gone] = [await second.ended, await first.ended];
    expect([two.code, gone.code]).toEqual([0, 0]);
    expect((await at.runs()).map(statusOf)).toEqual(['completed', 'interrupted']);
  });

  test('two commands at once: one owns the engine, and both runs complete', async () => {
    at = await durableProject();
    const both = await Promise.all([at.robosmith(...RUN), at.robosmith(...RUN)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect((await at.runs()).map(statusOf)).toEqual(['completed', 'completed']);
  });

  test('a halted run is answered there', async () => {
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    await at.write('hold-B', '');
    const first = await at.until('B said it', ...RUN, '--jsonl');
    await at.unlink('fail-C');
    const answered = await at.robosmith('resume', run, '--retry');
    expect([answered.code, answered.err]).toEqual([0, expect.stringContaining('Completed')]);
    await at.unlink('hold-B');
    expect((await first.ended).code).toBe(0);
  });

  test('it is killed: the other command says so, and the next ones resume both runs', async () => {
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    const second = await at.until('B said it', ...RUN, '--jsonl');
    first.signal('SIGKILL');
    await first.ended;
    const { code, err } = await second.ended;
    expect([code, err]).toEqual([1, expect.stringContaining('host_failed')]);
    expect((await at.runs()).map(statusOf)).toEqual(['interrupted', 'interrupted']);
    await at.unlink('hold-B');
    for (const { run } of await at.runs()) expect((await at.robosmith('resume', run)).code).toBe(0);
    expect([...(await at.ran())].sort()).toEqual(['A', 'A', 'B', 'B', 'B', 'B', 'C', 'C']);
  });

  test('stop, from another terminal: it ends with 0, and resume goes on', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    const { run } = await at.newest();
    const stopped = await at.robosmith('runs', 'stop', run);
    expect([stopped.code, stopped.err]).toEqual([0, `✓ ${run} is interrupted.\n\nNext:\n  robosmith resume ${run}\n`]);
    expect((await first.ended).code).toBe(0);
    await at.unlink('hold-B');
    expect((await at.robosmith('resume')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('what an interrupt cuts off is no step, wherever steps are counted', async () => {
    verifies('cli.response.metadata', 'cli.runs');
    at = await durableProject({ 'hold-A': '' });
    const first = await at.until('A said it', ...RUN, '--jsonl');
    first.signal('SIGINT');
    expect((await first.ended).err).toMatch(
      /■ interrupted {2}The run was stopped; nothing is lost\. {2}after 0 steps, /,
    );
    const { run } = await at.newest();
    expect((await at.robosmith('runs')).out).toMatch(new RegExp(`${run} +Main +interrupted +A +0 `));
    await at.unlink('hold-A');
    await at.write('hold-B', '');
    const second = await at.until('B said it', 'resume', run, '--jsonl');
    second.signal('SIGINT');
    await second.ended;
    const shown = await at.robosmith('runs', 'show', run);
    expect([shown.out, shown.err]).toEqual([
      expect.stringMatching(/interrupted {2}1 step · /),
      expect.stringMatching(/ {2}after 1 step, /),
    ]);
    await at.unlink('hold-B');
    expect((await at.robosmith('resume', run)).err).toContain('Completed in 3 steps, ');
  });

  test('pause: after the step under way', async () => {
    verifies('cli.runs', 'engine.host.own-process');
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    const { run } = await at.newest();
    const paused = await at.robosmith('runs', 'pause', run);
    expect([paused.code, paused.err]).toEqual([0, `✓ ${run} pauses after the current step.\n`]);
    await at.unlink('hold-B');
    const { code, err } = await first.ended;
    expect(code).toBe(0);
    expect(err).toContain('■ paused  The run is paused; nothing is lost.');
    expect(statusOf(await at.newest())).toBe('paused');
    expect(await at.ran()).toEqual(['A', 'B']);
    expect((await at.robosmith('resume', run)).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });

  test('cancel: it ends with 1, for good', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'hold-B': '' });
    const first = await at.until('B said it', ...RUN, '--jsonl');
    const { run } = await at.newest();
    expect(await steer('cancel', run)).toEqual({
      code: 0,
      answer: { ok: true, run, verb: 'cancel', done: true, status: 'cancelled' },
    });
    const { code, err } = await first.ended;
    expect([code, err]).toEqual([1, expect.stringContaining('✗ cancelled  The run was ended by a person.')]);
    expect((await at.robosmith('resume', run)).code).toBe(2);
  });

  test('a run that waits is cancelled by the process that has the engine', async () => {
    at = await durableProject({ '.vision/workflows.json': chain(), 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run: waiting } = await at.newest();
    await at.write('hold-B', '');
    const first = await at.until('B said it', ...RUN, '--jsonl');
    expect(await steer('stop', waiting)).toEqual({
      code: 0,
      answer: { ok: true, run: waiting, verb: 'stop', done: false, status: 'halted' },
    });
    expect(await steer('cancel', waiting)).toEqual({
      code: 0,
      answer: { ok: true, run: waiting, verb: 'cancel', done: true, status: 'cancelled' },
    });
    expect((await at.runs()).map(statusOf)).toEqual(['running', 'cancelled']);
    first.signal('SIGKILL');
    await first.ended;
  });
});

describe('without a process', () => {
  test('stop and pause say that it is not under way; cancel ends what waits, and what is over stays as it is', async () => {
    verifies('cli.runs');
    at = await durableProject({ 'fail-C': '' });
    await at.robosmith(...RUN);
    const { run } = await at.newest();
    for (const verb of ['stop', 'pause']) {
      const { code, err } = await at.robosmith('runs', verb, run);
      expect([code, err]).toEqual([0, `✓ ${run} is not running: it is halted.\n`]);
    }
    expect(await steer('cancel', run)).toEqual({
      code: 0,
      answer: { ok: true, run, verb: 'cancel', done: true, status: 'cancelled' },
    });
    expect(await steer('cancel', run)).toEqual({
      code: 0,
      answer: { ok: true, run, verb: 'cancel', done: false, status: 'cancelled' },
    });
    await at.unlink('fail-C');
    await at.robosmith(...RUN);
    const { run: done } = await at.newest();
    expect(await steer('cancel', done)).toEqual({
      code: 2,
      answer: {
        ok: false,
        error: {
          code: 'usage',
          message: `${done} is completed: there is nothing to cancel.`,
          next: [`robosmith runs show ${done}`],
        },
      },
    });
  });
});

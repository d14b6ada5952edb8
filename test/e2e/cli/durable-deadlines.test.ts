import { symlinkSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { chain, type DurableProject, durableProject, rewriteJournal, RUN } from './durable.ts';
import { type Failure, responseOf, type RunStory } from './durable-documents.ts';
import { NODE, to } from './robosmith.ts';

let at: DurableProject;
afterEach(() => at.remove());

const HOUR_MS = 3_600_000;

describe.skipIf(process.platform === 'win32')('a retry that is delayed', () => {
  /** Starts a run whose block B is executed again in about an hour, and kills it once it waits. Returns the id of the run. */
  const killedInDelay = async (): Promise<string> => {
    at = await durableProject();
    const retry = { policy: 'retry', max_attempts: 2, delay_ms: HOUR_MS, jitter: 0.5 };
    const manifest = chain({
      workers: { 'Worker:B': { kind: 'command', command: [at.file('missing'), 'work.mjs', 'B'] } },
      blocks: {
        B: {
          worker: 'Worker:B',
          recovery: { '*': [retry] },
          transitions: [to('SUCCESS', 'JUMP:C'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    });
    await at.write('.vision/workflows.json', manifest);
    const { signal, ended } = await at.until('tries again in', ...RUN);
    await expect.poll(deadlines).toHaveLength(1);
    signal('SIGKILL');
    await ended;
    return (await at.newest()).run;
  };

  const deadlines = async (): Promise<readonly { readonly block: string; readonly until: number }[]> => {
    const { out } = await at.robosmith('inbox', '--json');
    return (JSON.parse(out) as { readonly retrying?: readonly { block: string; until: number }[] }).retrying ?? [];
  };

  test('keeps its time when its engine is killed, and inbox and runs show name it', async () => {
    const run = await killedInDelay();
    const [first, ...others] = await deadlines();
    expect([first?.block, others]).toEqual(['Main__B', []]);
    const shown = JSON.parse((await at.robosmith('runs', 'show', run, '--json')).out) as RunStory;
    expect(shown.summary.retries).toEqual([{ block: 'Main__B', frame: '/', until: first?.until }]);
    for (const command of [['inbox'], ['runs', 'show', run]])
      expect((await at.robosmith(...command)).out).toMatch(/Main__B .*is executed again in \d+[hm]/);
  });

  test('is over for a run that is resumed after its time', async () => {
    const run = await killedInDelay();
    symlinkSync(NODE, at.file('missing'));
    await rewriteJournal(at, run, (lines) =>
      lines.map((line) => (line['type'] === 'delay' ? { ...line, until: Date.now() - 1 } : line)),
    );
    expect((await at.robosmith('resume', run)).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });
});

describe('a run that a newer version has opened', () => {
  test('is refused by this one, which changes nothing of it', async () => {
    at = await durableProject({ 'fail-B': '' });
    expect((await at.robosmith(...RUN)).code).toBe(3);
    const { run } = await at.newest();
    const journal = `.flow/runs/${run}/journal.jsonl`;
    await rewriteJournal(at, run, (lines) =>
      lines.map((line) => (line['type'] === 'open' ? { ...line, features: Number(line['features']) + 1 } : line)),
    );
    const before = await at.read(journal);
    await at.unlink('fail-B');
    const resumed = await at.robosmith('resume', run, '--retry', '--json');
    expect([resumed.code, responseOf(resumed.out)]).toMatchObject([
      1,
      {
        reason: 'corrupt_state',
        details: { newer: true, advice: expect.stringContaining('Update RoboSmith') as string },
      },
    ]);
    const shown = await at.robosmith('runs', 'show', run, '--json');
    expect((JSON.parse(shown.out) as Failure).error.message).toContain(
      'it was written by a newer version of RoboSmith',
    );
    expect([await at.ran(), await at.read(journal)]).toEqual([['A', 'B'], before]);
  });
});

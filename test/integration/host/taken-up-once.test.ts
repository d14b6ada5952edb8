import { afterEach, describe, expect, test } from 'vitest';
import { listExecutables } from '#engine/trust/list-executables.ts';
import { loadManifest } from '#engine/authoring.ts';
import { openEngine, workersFor } from '#engine/index.ts';
import type { ResumeParams } from '#protocol/host.ts';
import type { HaltId, NodeId, RunId } from '#protocol/id.ts';
import type { Worker } from '#protocol/worker.ts';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

const asIs = (run: RunId): ResumeParams => ({ run, retry: false, guidance: null, manifest: null });

/** Creates a run whose host was ended during the second block, and starts another host. */
async function leftRun() {
  at = hostBench({ 'hold-B': '' });
  const first = await at.serve();
  const run = await at.start(await at.client());
  await at.untilRan(2);
  await first.stop();
  await at.serve();
  return run;
}

test('a run that several clients resume at once is driven once, also after the first of them was refused', async () => {
  const run = await leftRun();
  const [one, other] = [await at.client(), await at.client()];
  const asked = [
    one.call('run.resume', { ...asIs(run), manifest: '0'.repeat(64) }),
    one.call('run.resume', asIs(run)),
    one.call('run.resume', asIs(run)),
    one.call('run.resume', asIs(run)),
  ];
  expect((await Promise.all(asked)).map(({ ok }) => ok)).toEqual([false, true, true, true]);
  await at.untilRan(3);
  at.unlink('hold-B');
  const { response } = await one.call('run.settled', { run });
  expect(response.success).toBe(true);
  expect(at.ran()).toEqual(['A', 'B', 'B', 'C']);
  const shown = await other.call('run.show', { run });
  expect(shown.listing).toMatchObject({ kind: 'run', summary: { status: 'completed' } });
});

test('a run that a host has is refused to whoever else takes it up; once it was let go, it goes on', async () => {
  at = hostBench({ 'hold-B': '', 'fail-C': '' });
  const opened = openEngine(at.root, { warn: () => undefined });
  if (!opened.ok) throw new Error('somebody owns the engine');
  const { engine } = opened;
  try {
    const loaded = await loadManifest(at.file('.vision/workflows.json'), { root: at.root });
    const workflow = loaded?.compilation.workflow;
    if (workflow === undefined || workflow === null) throw new Error('it does not compile');
    const { workers } = (await workersFor(workflow.graph, at.root, await listExecutables(null, at.root), null)) as {
      workers: ReadonlyMap<string, Worker>;
    };
    const run = engine.start(workflow, { start: { node: 'Main' as NodeId }, workers }, at.root);
    const wrong = expect.objectContaining({ code: 'wrong_state' }) as Error;
    const takeUp = () => engine.resume(run.id, at.root, { workers });
    expect(takeUp).toThrow(wrong);
    await expect(engine.cancel(run.id)).rejects.toThrow(wrong);
    at.unlink('hold-B');
    expect((await run.settled()).reason).toBe('halted');
    expect(takeUp).toThrow(wrong);

    run.release();
    const again = takeUp();
    expect((await again.settled()).reason).toBe('halted');
    again.release();
    const cancelled = engine.cancel(run.id);
    // The end of the run is still being written at this moment.
    expect(takeUp).toThrow(wrong);
    await cancelled;
    const over = takeUp();
    expect((await over.settled()).reason).toBe('cancelled');
    expect(at.ran()).toEqual(['A', 'B', 'C']);
    await engine.cancel(run.id);
  } finally {
    engine.close();
  }
});

test('a run that waits waits on when it is refused to go over to another manifest', async () => {
  at = hostBench({ 'fail-C': '' });
  const host = await at.serve();
  const client = await at.client();
  const run = await at.start(client);
  expect((await client.call('run.settled', { run })).response.reason).toBe('halted');
  const refused = await client.call('run.resume', { ...asIs(run), manifest: '0'.repeat(64) });
  expect(refused).toMatchObject({ ok: false, refusal: { reason: 'manifest_changed' } });
  expect(host.status().waiting).toEqual([run]);
  at.write('.vision/workflows.json', '{}');
  const broken = await client.call('run.resume', { ...asIs(run), manifest: '0'.repeat(64) });
  expect(broken).toMatchObject({ ok: false, refusal: { reason: 'invalid_graph' } });
  expect(host.status().waiting).toEqual([run]);
});

describe('an answer', () => {
  const answer = { verb: 'retry' } as const;

  test('to a halt that a moving run has not is refused at once, with those that wait', async () => {
    at = hostBench({ 'hold-B': '', 'fail-C': '' });
    await at.serve();
    const client = await at.client();
    const run = await at.start(client);
    await at.untilRan(2);
    const ask = (halt: string) => client.call('run.answer', { run, halt: halt as HaltId, answer });
    expect(await ask('h1')).toMatchObject({ accepted: false, why: 'unknown_halt', allowed: [], waiting: [] });
    at.unlink('hold-B');
    await client.call('run.settled', { run });
    expect(await ask('h2')).toMatchObject({ why: 'unknown_halt', waiting: ['h1'] });
  });

  test('to a run that another host left waiting comes when it has been told again', async () => {
    at = hostBench({ 'fail-C': '' });
    const first = await at.serve();
    const before = await at.client();
    const run = await at.start(before);
    await before.call('run.settled', { run });
    await first.stop();
    await at.serve();
    at.unlink('fail-C');
    const client = await at.client();
    expect(await client.call('run.answer', { run, halt: 'h1' as HaltId, answer })).toEqual({ accepted: true });
    expect((await client.call('run.settled', { run })).response.success).toBe(true);
    expect(at.ran()).toEqual(['A', 'B', 'C', 'C']);
  });
});

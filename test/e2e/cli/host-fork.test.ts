import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { HostStatus } from '#protocol/host.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../verifies.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { type Ended, ended, start } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
let client: RawClient | null = null;
afterEach(async () => {
  client?.close();
  client = null;
  await at.remove();
});

const hostNow = async (): Promise<HostStatus | null> =>
  (JSON.parse((await at.robosmith('host', 'status', '--json')).out) as { readonly host: HostStatus | null }).host;

/** Creates a session, waits until its run has ended, and closes the gate for the next session. */
async function done(title: string): Promise<Session> {
  at.openGate();
  const { code, err } = await at.robosmith('run', 'Fix', '--session', title, '--trust');
  expect([code, err]).toEqual([0, expect.any(String)]);
  rmSync(path.join(at.folder, '..', 'gate'));
  return at.untilState(title, 'ready');
}

/** Returns the output with ids, times and durations replaced, so that two outputs can be compared. */
function comparable({ code, out, err }: Ended, { session, run }: { readonly session: string; readonly run: string }) {
  const same = (text: string): string =>
    text
      .replaceAll(run, '<run>')
      .replaceAll(session.slice(1), '<session>')
      .replace(/"(trace_id|timestamp|duration_ms|started_at)": [^,\n]+/g, '"$1"')
      .replace(/\d+(\.\d+)?(ms|s)\b/g, '<time>');
  return { code, out: same(out), err: same(err) };
}

async function forked(old: Session, ...more: readonly string[]) {
  const before = new Set((await at.sessions()).map(({ session }) => session.id));
  const printed = await at.robosmith('runs', 'fork', `${old.runs[0] ?? ''}@1`, ...more);
  const [made] = (await at.sessions()).map((one) => one.session).filter(({ id }) => !before.has(id));
  if (made === undefined) throw new Error(printed.err);
  const shown = comparable(printed, { session: made.id, run: made.runs[0] ?? '' });
  const { state, title, why, base, worktree } = made;
  return {
    shown,
    made,
    stands: { state, title, why: why?.replace(made.runs[0] ?? '', '<run>'), base },
    text: readFileSync(path.join(worktree ?? '', 'src/a.txt'), 'utf8'),
  };
}

/** Starts a host with a run of another session, which waits until the gate opens. */
async function busyHost(): Promise<HostStatus> {
  expect((await at.robosmith('run', 'Fix', '--session', 'Busy', '--detach', '--trust')).code).toBe(0);
  await at.untilState('Busy', 'running');
  const host = await hostNow();
  if (host === null) throw new Error('there is no host');
  return host;
}

async function clientOf({ socket }: HostStatus): Promise<RawClient> {
  client = await rawClient(socket);
  await client.hello(readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8'));
  return client;
}

test('a session is forked by a busy host as by a command that owns the engine', async () => {
  verifies('engine.host.fork', 'engine.snapshots.time-travel');
  at = await sessionProject();
  const old = await done('Alpha');
  expect((await at.robosmith('host', 'stop')).code).toBe(0);
  const alone = [await forked(old, '--no-start'), await forked(old, '--no-start', '--json')];
  expect(await hostNow()).toBeNull();
  at.openGate();
  // If no host is running, the fork starts one for its run.
  alone.push(await forked(old));
  expect(await hostNow()).not.toBeNull();
  expect((await at.robosmith('host', 'stop')).code).toBe(0);
  rmSync(path.join(at.folder, '..', 'gate'));

  const { pid } = await busyHost();
  const there = [await forked(old, '--no-start'), await forked(old, '--no-start', '--json')];
  expect((await hostNow())?.running).toHaveLength(1);
  at.openGate();
  there.push(await forked(old));
  expect((await hostNow())?.pid).toBe(pid);

  for (const index of [0, 1, 2]) {
    const { shown, stands, text } = there[index] ?? alone[0] ?? expect.fail();
    expect([shown, stands, text]).toEqual([alone[index]?.shown, alone[index]?.stands, alone[index]?.text]);
  }
  expect(there.map(({ shown, stands, text }) => [shown.code, stands.state, text])).toEqual([
    [0, 'halted', 'one\n'],
    [0, 'halted', 'one\n'],
    [0, 'ready', 'one\nby alpha\n'],
  ]);
  expect(there[2]?.shown.err).toMatch(/^Its work is in session Alpha from step 1 .*: robosmith sessions merge /m);
  expect(there[0]?.stands.why).toBe('it can be resumed: robosmith resume <run>');
  expect(await at.session('Alpha')).toEqual(old);
});

test("a fork follows the manifest of its run, also when the node is gone from today's", async () => {
  verifies('engine.host.fork');
  at = await sessionProject();
  const old = await done('Alpha');
  at.write(
    '.vision/workflows.json',
    JSON.stringify({ ...MANIFEST, entry: 'Other', nodes: { Other: MANIFEST.nodes.Fix } }),
  );
  const { shown, stands, text } = await forked(old, '--no-start');
  expect([shown.code, stands.state, text]).toEqual([0, 'halted', 'one\n']);
  at.openGate();
  expect((await at.robosmith('resume', (await at.session('Alpha from step 1')).runs[0] ?? '')).code).toBe(0);
  await at.untilState('Alpha from step 1', 'ready');
});

test('a fork waits for its turn, and does not begin before somebody goes on with it', async () => {
  verifies('engine.host.fork');
  at = await sessionProject({ ...MANIFEST, max_parallel: 1 });
  const old = await done('Alpha');
  const host = await busyHost();
  const forking = at.robosmith('runs', 'fork', `${old.runs[0] ?? ''}@1`, '--no-start', '--json');
  const forkNow = async () => (await at.sessions()).find(({ session }) => session.title === 'Alpha from step 1');
  await until(async () => (await forkNow())?.session.state === 'queued', 'the fork in the queue');
  const { id } = await at.session('Alpha from step 1');
  const asked = await clientOf(host);
  const moved = asked.ask('session.moved', { session: id, known: 1 });
  at.openGate();
  const { code, out, err } = await forking;
  expect([code, err]).toEqual([
    0,
    `! Session Alpha from step 1 (${id}) is queued: waits for a free slot: the maximum of parallel sessions is running.\n`,
  ]);
  const { run } = JSON.parse(out) as { readonly run: string };
  expect(await moved).toMatchObject({ result: { id, state: 'halted', runs: [run] } });
  // A forked run that has halted can be resumed like any other run.
  expect((await at.robosmith('resume', run)).code).toBe(0);
  expect((await at.untilState('Alpha from step 1', 'ready')).runs).toEqual([run]);
});

test.skipIf(process.platform === 'win32')('Ctrl-C leaves a fork that waits for its turn', async () => {
  verifies('engine.host.fork', 'engine.host.detaches');
  at = await sessionProject({ ...MANIFEST, max_parallel: 1 });
  const old = await done('Alpha');
  const { pid } = await busyHost();
  const forking = start(['runs', 'fork', `${old.runs[0] ?? ''}@1`], at.folder);
  const over = ended(forking);
  await new Promise<void>((resolve) =>
    forking.stderr.on('data', (text: string) => {
      if (text.includes('is queued')) resolve();
    }),
  );
  forking.kill('SIGINT');
  const { code, err } = await over;
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(`It waits for its turn in the engine host, process ${pid}.`),
  ]);
  at.openGate();
  const { runs, why } = await at.untilState('Alpha from step 1', 'halted');
  expect(why).toBe(`it can be resumed: robosmith resume ${runs[0] ?? ''}`);
});

test('a run of no session is forked by a busy host too; what is no step of it is refused', async () => {
  verifies('engine.host.fork');
  at = await sessionProject();
  const old = await done('Alpha');
  at.write('s.json', '{ "*": [{ "signal": "SIGNAL:SUCCESS" }] }');
  expect((await at.robosmith('run', 'Fix', '--in', '.', '--script', 's.json')).code).toBe(0);
  const { runs } = JSON.parse((await at.robosmith('runs', '--json')).out) as {
    readonly runs: readonly { readonly run: string }[];
  };
  const plain = runs.map(({ run }) => run).find((run) => run !== old.runs[0]) ?? '';
  const host = await busyHost();
  const { code, out } = await at.robosmith('runs', 'fork', `${plain}@1`, '--no-start', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, forked_from: { run: plain, step: 1 } }]);

  const asked = await clientOf(host);
  const known = await at.sessions();
  for (const [method, params, code] of [
    ['session.fork', { session: old.id, run: old.runs[0], step: 9 }, 'usage'],
    ['session.fork', { session: old.id, run: plain, step: 1 }, 'usage'],
    ['session.fork', { session: 's00000000', run: plain, step: 1 }, 'usage'],
    ['run.fork', { run: old.runs[0], step: 1 }, 'usage'],
    ['run.fork', { run: plain, step: 9 }, 'usage'],
    ['run.fork', { run: plain, step: 'one' }, 'usage'],
  ] as const)
    expect([method, params, await asked.ask(method, params)]).toMatchObject([
      method,
      params,
      { error: { data: { code } } },
    ]);
  expect((await at.sessions()).map(({ session }) => session)).toEqual(known.map(({ session }) => session));
  expect(at.git('for-each-ref', 'refs/robosmith/start')).toBe('');
  at.openGate();
});

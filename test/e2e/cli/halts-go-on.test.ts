import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type Fault, startFaultServer } from '../../support/fault-server.ts';
import type { Said } from '../../support/faults.ts';
import { rewriteJournal, RUN, waitingUntil } from './durable.ts';
import { statusOf } from './durable-documents.ts';
import { type HostedProject, hostedProject, killHard } from './hosted.ts';
import { ended, NODE, start, to } from './robosmith.ts';
import { type SessionProject, sessionProject } from './session-project.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0).reverse()) await remove();
});

async function hosted(files: Readonly<Record<string, unknown>> = {}): Promise<HostedProject> {
  const at = await hostedProject(files);
  removals.push(at.remove);
  return at;
}

const WORK_AFTER_A_PERSON = {
  version: 1,
  entry: 'Fix',
  workers: { 'Worker:Work': { kind: 'command', command: [NODE, 'work.mjs'] } },
  nodes: {
    Fix: {
      entry_block: 'Ask',
      blocks: {
        Ask: { worker: 'Internal:ManualIntervention', transitions: [to('SUCCESS', 'JUMP:Work')] },
        Work: { worker: 'Worker:Work', transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] },
      },
    },
  },
};

const runOf = (text: string): string => /\br[0-9a-f]{12}\b/.exec(text)?.[0] ?? '';

test('the answer to a session that waits begins its work, which is waited for, when no host lives', async () => {
  const at: SessionProject = await sessionProject(WORK_AFTER_A_PERSON);
  removals.push(at.remove);
  at.write('.flow/flow.registry.json', '{ "Internal:ManualIntervention": "builtin:ManualIntervention" }');
  const first = await at.robosmith('run', 'Fix', '--session', 'Alpha', '--trust');
  expect([first.code, first.err]).toEqual([3, expect.stringContaining('waits for a person')]);
  expect((await at.robosmith('host', 'stop', '--force')).code).toBe(0);
  const command = start(['resume', runOf(first.err), '--next'], at.folder);
  const going = ended(command);
  // The run is executing, and the command has not reported it as waiting.
  await until(() => existsSync(at.file('.flow/runs')), 'the run');
  at.openGate();
  const { code, err } = await going;
  expect([code, err]).toEqual([0, expect.stringContaining('left out')]);
  expect(err).not.toContain('Answer it');
  expect((await at.session('Alpha')).state).toBe('ready');
});

describe('a run that waits for a time', () => {
  const waitingIn = async (ms: number): Promise<HostedProject> => {
    const at = await hosted();
    await at.write('fail-B', '');
    expect((await at.robosmith(...RUN)).code).toBe(3);
    await at.unlink('fail-B');
    const { run } = await at.newest();
    await rewriteJournal(at, run ?? '', waitingUntil(Date.now() + ms));
    return at;
  };

  test('goes on in a host that was started after it began to wait', async () => {
    const at = await waitingIn(1_500);
    const { due } = await at.startHost();
    expect(due === null || due > 0).toBe(true);
    await until(async () => statusOf(await at.newest()) === 'completed', 'the end of the run');
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
  });

  test('goes on after its host was killed and another one started; until then nobody says that it does', async () => {
    const at = await waitingIn(3_600_000);
    const { pid } = await at.startHost();
    const { run } = await at.newest();
    await until(async () => (await at.host())?.waiting.includes(run as never) === true, 'the host to take it up');
    expect((await at.robosmith('inbox')).out).toContain('It continues automatically in');
    await killHard(pid);
    const { out } = await at.robosmith('inbox');
    expect(out).toContain('no engine host is running to continue it');
    expect(out).not.toContain('automatically');
    await at.startHost();
    await until(async () => (await at.host())?.waiting.includes(run as never) === true, 'the next host to take it up');
    expect((await at.robosmith('inbox')).out).toContain('It continues automatically in');
  });

  test('keeps its host from ending for idleness', async () => {
    const at = await waitingIn(3_600_000);
    const { pid } = await at.startHost('--idle', '0.005');
    const other = await hosted();
    const idle = await other.startHost('--idle', '0.02');
    await until(() => !isAlive(idle.pid), 'the end of an idle host that was started later');
    expect(isAlive(pid)).toBe(true);
  });
});

const modelAt = (url: string) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url } },
  nodes: {
    Main: {
      entry_block: 'Ask',
      blocks: { Ask: { worker: 'Worker:Model', contract: 'Say hello.', transitions: [to('SUCCESS', 'RETURN')] } },
    },
  },
});

const SECRET = 'sk-test-0123456789abcdef';

describe('with a model', () => {
  const withModel = async (said: readonly (Fault | Said)[]) => {
    const server = await startFaultServer();
    removals.push(server.close);
    const url = server.byTurn(...said);
    const at = await hosted({ '.vision/workflows.json': modelAt(url) });
    const robosmith = (...args: readonly string[]) =>
      ended(start(args, at.folder, { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: url }));
    return { at, robosmith };
  };

  test('what a foreground run waits for is taken over by a host, and the text names that', async () => {
    const slow = { status: 429, headers: { 'retry-after': '300' }, body: '{"error":{"message":"slow"}}' };
    const { at, robosmith } = await withModel([slow]);
    const { code, err, out } = await robosmith(...RUN, '--json');
    const host = await at.host();
    expect([code, host?.waiting]).toEqual([3, [runOf(err)]]);
    expect(err).toContain(`in the engine host (process ${String(host?.pid)})`);
    expect(err).toContain('waits for its scheduled time');
    expect(JSON.parse(out)).toMatchObject({ reason: 'halted', details: { host: host?.pid } });
  });

  test('keys test clears what is held against a key without ending the host', async () => {
    const { at, robosmith } = await withModel([{ status: 402, body: '{}' }, 'none']);
    const { pid } = await at.startHost();
    const { err } = await robosmith(...RUN);
    expect(err).toContain('local: exhausted');
    expect((await robosmith('keys', 'test', '--model', 'tiny')).code).toBe(0);
    expect((await at.host())?.pid).toBe(pid);
    expect((await robosmith('resume', runOf(err), '--retry')).code).toBe(0);
    expect((await at.host())?.pid).toBe(pid);
  });
});

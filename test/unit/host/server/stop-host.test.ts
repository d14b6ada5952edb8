import { expect, test } from 'vitest';
import { createWorkInProgress } from '#engine/sessions/model/work-in-progress.ts';
import type { HostedRun } from '#host/server/runs/hosted-runs.ts';
import { createOpenRequests } from '#host/server/open-requests.ts';
import { createStopper } from '#host/server/stop-host.ts';
import type { SettledRun } from '#protocol/host.ts';
import type { RunId, SessionId } from '#protocol/id.ts';

const RUN = 'r1' as RunId;
const SESSION = 's00000001' as SessionId;

function stopping(timeoutMs?: number) {
  const said: string[] = [];
  const logged: string[] = [];
  const sessionWork = createWorkInProgress();
  const run = Promise.withResolvers<SettledRun>();
  let moving: readonly RunId[] = [];
  let opening: Promise<unknown> = Promise.resolve();
  const hosted = {
    moving: () => moving,
    find: () => ({ settled: () => run.promise }) as HostedRun,
    end: () => {
      said.push('ends the runs');
      return Promise.resolve([]);
    },
  };
  const ended = (): Promise<void> => {
    said.push('gives the engine away');
    return Promise.resolve();
  };
  const stopper = createStopper(
    {
      hosted,
      sessionWork,
      requests: createOpenRequests(),
      withoutClients: () => Promise.resolve(),
      opening: () => opening,
      log: (message) => void logged.push(message),
    },
    ended,
    timeoutMs,
  );
  return {
    said,
    logged,
    sessionWork,
    stopper,
    moves: () => {
      moving = [RUN];
    },
    settles: () => {
      moving = [];
      run.reject(new Error('the disk is gone'));
    },
    opens: (work: Promise<unknown>) => {
      opening = work;
    },
  };
}

const GONE = ['ends the runs', 'gives the engine away'];
const STOPPED = { stopped: true, running: [], busy: [] };

test('idle: what is done to a session keeps it, and is named', async () => {
  const { said, sessionWork, stopper } = stopping();
  const merge = Promise.withResolvers<string>();
  const counted = sessionWork.add(merge.promise, SESSION);
  expect(await stopper.stop('idle')).toEqual({ stopped: false, running: [], busy: [SESSION] });
  expect([said, stopper.isStopping()]).toEqual([[], false]);
  merge.resolve('merged');
  expect(await counted).toBe('merged');
  expect(await stopper.stop('idle')).toEqual(STOPPED);
  await stopper.stopped;
  expect(said).toEqual(GONE);
});

test('idle: what the host before left is taken up first', async () => {
  const { sessionWork, stopper, opens } = stopping();
  const opened = Promise.withResolvers<undefined>();
  opens(opened.promise);
  const stop = stopper.stop('idle');
  void sessionWork.add(new Promise(() => undefined), SESSION);
  opened.resolve(undefined);
  expect(await stop).toEqual({ stopped: false, running: [], busy: [SESSION] });
});

test('wait: for runs, also one that fails to settle, and for sessions; what follows from them may begin, and is waited for', async () => {
  const { said, sessionWork, stopper, moves, settles } = stopping();
  const creation = Promise.withResolvers<undefined>();
  void sessionWork.add(creation.promise, SESSION);
  const stop = stopper.stop('wait');
  expect([stopper.isStopping(), stopper.isClosing()]).toEqual([true, false]);
  moves();
  creation.resolve(undefined);
  await sessionWork.idle();
  expect(said).toEqual([]);
  settles();
  expect(await stop).toEqual(STOPPED);
  await stopper.stopped;
  expect(said).toEqual(GONE);
});

test('force: what does not end is named, and holds nobody up', async () => {
  const { said, logged, sessionWork, stopper, moves } = stopping(1);
  moves();
  void sessionWork.add(new Promise(() => undefined), SESSION);
  expect(await stopper.stop('force')).toEqual(STOPPED);
  await stopper.stopped;
  expect(said).toEqual(GONE);
  expect(logged).toEqual([`${SESSION} ignored the stop request; it ends with this process`]);
});

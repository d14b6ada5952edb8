import { type WorkWatcher, workOn } from '#cli/plan/work-on.ts';
import { serveHost } from '#host/server/index.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { fakeIo } from '../support/fake-io.ts';

const nothing = (): void => undefined;

const silent: WorkWatcher = {
  notices: () => null,
  beforeSaving: () => Promise.resolve(null),
  begins: nothing,
  takesOver: nothing,
  unsafe: () => 1,
  saved: nothing,
  settled: nothing,
  isInterrupted: () => false,
};

const reporter = {
  started: nothing,
  event: nothing,
  refused: nothing,
  warn: nothing,
  prompt: nothing,
  note: nothing,
  asking: nothing,
  pause: nothing,
  ended: nothing,
};

/** Does what `robosmith work --trust` does, until the plan is complete. `calls` are the file calls of the engine. */
export async function workOnTasks(
  root: string,
  calls: FileCalls,
  warn: (message: string) => void = nothing,
): Promise<{ readonly ok: boolean; readonly ended: string }> {
  const environment = { ...process.env };
  const trusts = (): Promise<boolean> => Promise.resolve(true);
  const served = await serveHost({
    root,
    version: '0',
    environment,
    trusts,
    lives: 'command',
    log: nothing,
    warn,
    calls,
  });
  if (!served.ok) throw new Error('the engine is busy');
  const { host } = served;
  const client = host.connect();
  const parts = {
    client,
    root,
    directory: root,
    trusting: '',
    flags: { trust: true as const, json: true as const },
    io: fakeIo({ cwd: root, env: process.env }),
  };
  const worked = await workOn({ ...parts, reporterFor: () => reporter }, false, silent);
  client.close();
  await host.leave(nothing);
  return { ok: worked.ok, ended: worked.ok ? worked.ended : JSON.stringify(worked) };
}

import { type WorkWatcher, workOn } from '#cli/tasks/work-on.ts';
import type { Engine } from '#engine/index.ts';
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
  ended: nothing,
};

/** Does what `robosmith work --trust` does, until the plan is complete. */
export async function workOnTasks(
  engine: Engine,
  root: string,
): Promise<{ readonly ok: boolean; readonly ended: string }> {
  const io = fakeIo({ cwd: root, env: process.env });
  const parts = {
    engine,
    root,
    directory: root,
    trusting: '',
    flags: { trust: true as const, json: true as const },
    io,
  };
  const worked = await workOn({ ...parts, reporterFor: () => reporter }, false, silent);
  return { ok: worked.ok, ended: worked.ok ? worked.ended : JSON.stringify(worked) };
}

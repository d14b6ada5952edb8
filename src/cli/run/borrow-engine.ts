import { setTimeout } from 'node:timers/promises';
import { engineOwner, projectRuns } from '#engine/index.ts';
import type { HostClient } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { processIo } from '../terminal/cli-io.ts';
import { failureMessage } from '../print/why-it-failed.ts';
import { connectToHost } from './connect-to-host.ts';

/** The result if an idle host was stopped, so that its engine is free. */
interface Borrowed {
  readonly ok: true;
  /** Starts a host again if runs were waiting for a time in the old one. */
  giveBack(): Promise<void>;
}

/** The result if the host is busy. `sessions` lists the sessions for which it does other work than executing runs. */
interface BusyHost {
  readonly ok: false;
  readonly sessions: readonly SessionId[];
}

/** The time in milliseconds to wait until the host has released the engine lock. */
const PATIENCE_MS = 10_000;

/** Stops an idle host, for a command that must own the engine. Returns null if there is no host. */
export async function borrowEngine(root: string, warn: (message: string) => void): Promise<Borrowed | BusyHost | null> {
  const io = processIo();
  const found = await connectToHost(root, {}, io);
  if (found.kind !== 'connected') return null;
  const { client } = found;
  try {
    const { waiting, due } = await client.call('status', {});
    const { stopped, busy = [] } = await client.call('host.stop', { mode: 'idle' });
    if (!stopped) return { ok: false, sessions: busy };
    await released(root, client.about.pid);
    return { ok: true, giveBack: () => (due === null ? Promise.resolve() : watchAgain(root, waiting, warn)) };
  } finally {
    client.close();
  }
}

async function released(root: string, pid: number): Promise<void> {
  const began = Date.now();
  while (engineOwner(root)?.pid === pid && Date.now() - began < PATIENCE_MS) await setTimeout(10);
}

type Warn = (message: string) => void;

async function watchAgain(root: string, waiting: readonly RunId[], warn: Warn): Promise<void> {
  try {
    const found = await connectToHost(root, { spawn: true }, processIo());
    if (found.kind !== 'connected') return;
    try {
      for (const run of stillWaiting(root, waiting)) await takeUp(run, found.client, warn);
    } finally {
      found.client.close();
    }
  } catch (thrown) {
    warn(
      `No engine host will continue the runs that wait for a time (${messageOf(thrown)}). Continue them with \`robosmith resume --due\`.`,
    );
  }
}

/** Returns the runs that still wait: the command may have ended some of them. */
function stillWaiting(root: string, waiting: readonly RunId[]): readonly RunId[] {
  const halted = projectRuns(root).flatMap((one) =>
    one.kind === 'run' && one.summary.status === 'halted' ? [one.run] : [],
  );
  return waiting.filter((run) => halted.includes(run));
}

/** Schedules a run in the host; a failure affects no other run. */
async function takeUp(run: RunId, client: HostClient, warn: Warn): Promise<void> {
  const lost = (why: string): void =>
    warn(`No engine host will continue ${run} (${why}). Continue it with \`robosmith resume ${run}\`.`);
  try {
    const begun = await client.call('run.resume', { run, retry: false, guidance: null, manifest: null });
    if (!begun.ok) lost(failureMessage(begun.refusal));
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'host_failed')) throw thrown;
    lost(messageOf(thrown));
  }
}

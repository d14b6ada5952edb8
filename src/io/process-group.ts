import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const WINDOWS = process.platform === 'win32';

/** What was killed by force is reaped within this, unless the kernel holds it. */
const REAP_MS = 500;
const POLL_MS = 10;

const taskkill = (pid: number): readonly string[] => ['/pid', String(pid), '/T', '/F'];

/** Windows has no groups: there it is the tree below a process, as long as that one runs. */
const target = (pid: number): number => (WINDOWS ? pid : -pid);

function sendTo(pid: number, signal: NodeJS.Signals): void {
  if (WINDOWS) {
    execFile('taskkill', taskkill(pid), () => undefined);
    return;
  }
  try {
    process.kill(target(pid), signal);
  } catch {
    // the group has ended by itself
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(target(pid), 0);
    return false;
  } catch {
    return true;
  }
}

async function goneWithin(pid: number, ms: number): Promise<boolean> {
  const last = performance.now() + ms;
  while (!isGone(pid)) {
    if (performance.now() >= last) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** Ends the group that a process leads: politely, after the grace by force. It is gone then, or about to be. */
export async function endGroup(pid: number, graceMs: number): Promise<void> {
  if (isGone(pid)) return;
  sendTo(pid, 'SIGTERM');
  if (await goneWithin(pid, graceMs)) return;
  sendTo(pid, 'SIGKILL');
  await goneWithin(pid, REAP_MS);
}

const live = new Set<number>();
let watching = false;

function killAll(): void {
  for (const pid of live) {
    // Nothing asynchronous is done any more.
    if (WINDOWS) spawnSync('taskkill', taskkill(pid), { stdio: 'ignore', windowsHide: true });
    else sendTo(pid, 'SIGKILL');
  }
}

/** Kills the group also when this process ends in the meantime. Returns what undoes that. */
export function trackGroup(pid: number): () => void {
  if (!watching) process.on('exit', killAll);
  watching = true;
  live.add(pid);
  return () => live.delete(pid);
}

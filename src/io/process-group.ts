import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const WINDOWS = process.platform === 'win32';

/** What was killed by force is reaped within this, unless the kernel holds it. */
const REAP_MS = 500;
const POLL_MS = 20;

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

/** `pid (name) state ppid pgrp …`, where a name may hold anything. */
async function runsIn(group: number, entry: string): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8');
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return pgrp === String(group) && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

/** A zombie counts as a member until it is reaped, which the first process of a container may never do. */
async function hasOnlyZombies(group: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const entries = await readdir('/proc').catch(() => null);
  if (entries === null) return false;
  const running = await Promise.all(entries.filter((entry) => /^\d+$/.test(entry)).map((one) => runsIn(group, one)));
  return !running.includes(true);
}

function hasMembers(pid: number): boolean {
  try {
    process.kill(target(pid), 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number, mostMs: number): Promise<void> {
  const last = performance.now() + mostMs;
  while (hasMembers(pid) && !(await hasOnlyZombies(pid)) && performance.now() < last) await sleep(POLL_MS);
}

/** Ends the group that a process leads: politely, after the grace by force. It is gone then, or about to be. */
export async function endGroup(pid: number, graceMs: number): Promise<void> {
  if (!hasMembers(pid)) return;
  sendTo(pid, 'SIGTERM');
  await untilGone(pid, graceMs);
  // Also where none was seen: one may have been born while we looked.
  sendTo(pid, 'SIGKILL');
  await untilGone(pid, REAP_MS);
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

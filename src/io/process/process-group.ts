import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMarked, findTree, hasOnlyZombies, stillRuns, type TableEntry } from './process-table.ts';

/*
 * A step's processes are its leader, who leads a group and a session, and all that come of it. They are found
 *
 * 1. by the group, on every POSIX system, in one call that misses nobody;
 * 2. on Linux also by the mark in their environment, by the session, and by descent: these have left the group (`setsid`).
 *
 * Not found is a process that left the group and cleared its environment, once its parents have ended; on macOS each that
 * left the group; on Windows (where it is the tree below the leader) each whose parents have ended.
 */

export interface ProcessTree {
  /** Of the leader. */
  readonly pid: number;
  readonly mark: string;
}

export interface TreeState {
  /** Its leader runs, so that descent can be seen. */
  readonly isWhole: boolean;
  readonly ageMs: number;
}

const WINDOWS = process.platform === 'win32';

/** What was killed by force is reaped within this, unless the kernel holds it. */
const REAP_MS = 500;
const POLL_MS = 20;

/** No machine makes so many processes in this that their numbers go round. */
const YOUNG_MS = 1_000;

/** A tree that makes processes faster than one round kills them meets the next one. */
const MOST_ROUNDS = 100;

/** By its place: a name would be looked for in the current folder first. */
const TASKKILL = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;

const taskkill = (pid: number): readonly string[] => ['/pid', String(pid), '/T', '/F'];

/** Windows has no groups: there it is the tree below a process, as long as that one runs. */
const target = (pid: number): number => (WINDOWS ? pid : -pid);

function send(to: number, signal: NodeJS.Signals): void {
  try {
    process.kill(to, signal);
  } catch {
    // it has ended by itself
  }
}

function sendToGroup(pid: number, signal: NodeJS.Signals): void {
  if (WINDOWS) execFile(TASKKILL, taskkill(pid), () => undefined);
  else send(target(pid), signal);
}

function hasMembers(pid: number): boolean {
  try {
    process.kill(target(pid), 0);
    return true;
  } catch {
    return false;
  }
}

/** A zombie counts as a member until it is reaped, which the first process of a container may never do. */
const groupRuns = (pid: number): boolean => hasMembers(pid) && !hasOnlyZombies(pid);

const outside = (found: readonly TableEntry[], pid: number): readonly TableEntry[] =>
  found.filter(({ group }) => group !== pid);

async function untilGone(group: number, strays: readonly TableEntry[], mostMs: number): Promise<void> {
  const last = performance.now() + mostMs;
  while ((strays.some(stillRuns) || groupRuns(group)) && performance.now() < last) await sleep(POLL_MS);
}

/** Kills until nobody is found: one may have been born while we looked. */
function killByForce(tree: ProcessTree, known: readonly TableEntry[]): readonly TableEntry[] {
  const killed: TableEntry[] = [];
  sendToGroup(tree.pid, 'SIGKILL');
  let found: readonly TableEntry[] = known.filter(stillRuns);
  for (let round = 0; round < MOST_ROUNDS && found.length > 0; round += 1) {
    for (const { pid } of found) send(pid, 'SIGKILL');
    killed.push(...found);
    found = outside(findMarked(tree.mark), tree.pid);
  }
  return killed;
}

/** Ends a tree: politely, after the grace by force. It is gone then, or about to be. */
export async function endTree(tree: ProcessTree, graceMs: number, { isWhole, ageMs }: TreeState): Promise<void> {
  const { pid, mark } = tree;
  const strays = outside(isWhole ? findTree(pid, mark) : findMarked(mark, ageMs < YOUNG_MS ? pid : 0), pid);
  if (strays.length === 0 && !hasMembers(pid)) return;
  sendToGroup(pid, 'SIGTERM');
  for (const stray of strays) send(stray.pid, 'SIGTERM');
  await untilGone(pid, strays, graceMs);
  const late = outside(findMarked(mark), pid);
  const killed = killByForce(tree, [...strays, ...late]);
  await untilGone(pid, killed, REAP_MS);
}

/** Nothing asynchronous is done any more. */
function killAtOnce(tree: ProcessTree): readonly TableEntry[] {
  if (WINDOWS) spawnSync(TASKKILL, taskkill(tree.pid), { stdio: 'ignore', windowsHide: true });
  const found = findTree(tree.pid, tree.mark);
  return [...found, ...killByForce(tree, outside(found, tree.pid))];
}

const live = new Set<ProcessTree>();
let watching = false;

function killAll(): void {
  for (const tree of live) killAtOnce(tree);
}

/** Kills the tree also when this process ends in the meantime. Returns what undoes that. */
export function trackTree(tree: ProcessTree): () => void {
  if (!watching) process.on('exit', killAll);
  watching = true;
  live.add(tree);
  return () => live.delete(tree);
}

/** As long has what was left behind to end by itself. */
const POLITE_MS = 1_000;

const pause = new Int32Array(new SharedArrayBuffer(4));

export interface LeftTree {
  readonly mark: string;
  /** Null: it is not known. */
  readonly pid: number | null;
  /** That number is still of the same process. */
  readonly isSame: boolean;
}

function waitWhile(runs: () => boolean, mostMs: number): void {
  for (let waited = 0; waited < mostMs && runs(); waited += POLL_MS) Atomics.wait(pause, 0, 0, POLL_MS);
}

/** A git that is told takes its locks away. */
function tellToEnd(group: number | null, marked: readonly TableEntry[]): void {
  if (WINDOWS) return;
  if (group !== null) sendToGroup(group, 'SIGTERM');
  for (const { pid } of marked) send(pid, 'SIGTERM');
  waitWhile(() => marked.some(stillRuns) || (group !== null && groupRuns(group)), POLITE_MS);
}

/** Ends what is left of a tree whose RoboSmith has died: politely, and soon by force. Gives how many processes there were. */
export function killLeftTree({ mark, pid, isSame }: LeftTree): number {
  const marked = findMarked(mark);
  // The number of a group stays taken as long as one is in it: a marked member vouches for it.
  const isOurs = pid !== null && (isSame || marked.some(({ group }) => group === pid));
  const before = isOurs ? findTree(pid, mark) : [];
  tellToEnd(isOurs ? pid : null, marked);
  const found = isOurs ? [...before, ...killAtOnce({ pid, mark })] : [];
  for (const { pid: stray } of marked) send(stray, 'SIGKILL');
  const all = [...new Map([...marked, ...found].map((entry) => [entry.pid, entry])).values()];
  waitWhile(() => all.some(stillRuns), REAP_MS);
  return Math.max(all.length, isSame ? 1 : 0);
}

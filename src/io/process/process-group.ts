import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMarked, findTree, hasOnlyZombies, isRunning, type TableEntry } from './process-table.ts';

/*
 * How the processes of a step are found. The process that we start is the leader of a process group and of a
 * session; the others are its descendants. They are found
 *
 * 1. by the group, on every POSIX system, in one call that misses no member;
 * 2. on Linux also by the mark in their environment, by the session and by their parents, because a process can
 * leave the group (`setsid`).
 *
 * Three kinds are not found: a process that left the group and cleared its environment, once its parents have ended; on
 * macOS every process that left the group; on Windows, where only the tree below the leader is known, every process
 * whose parents have ended.
 */

export interface ProcessTree {
  /** The process id of the leader. */
  readonly pid: number;
  readonly mark: string;
}

interface TreeState {
  /** True while the leader runs; only then can its descendants be found. */
  readonly isWhole: boolean;
  readonly ageMs: number;
}

const WINDOWS = process.platform === 'win32';

/** The time in milliseconds within which killed processes disappear, unless one is blocked in the kernel. */
const REAP_MS = 500;
const POLL_MS = 20;

/** The age in milliseconds below which process ids can't have wrapped around since a process tree started. */
const YOUNG_MS = 1_000;

/**
 * The maximum number of rounds in which a tree's processes are killed, since the tree may create processes faster than
 * they are killed.
 */
const MOST_ROUNDS = 100;

/** The absolute path of taskkill: Windows would search a bare name in the current folder first. */
const TASKKILL = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;

const taskkill = (pid: number): readonly string[] => ['/pid', String(pid), '/T', '/F'];

/**
 * Returns the pid argument of `kill` for a group. Windows has no process groups, so the leader's own id is used there.
 */
const target = (pid: number): number => (WINDOWS ? pid : -pid);

function send(to: number, signal: NodeJS.Signals): void {
  try {
    process.kill(to, signal);
  } catch {
    // The process has already ended.
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

/**
 * Returns whether a process of the group still runs. Zombies are ignored: in a container the init process may never
 * reap them.
 */
const groupRuns = (pid: number): boolean => hasMembers(pid) && !hasOnlyZombies(pid);

const outside = (found: readonly TableEntry[], pid: number): readonly TableEntry[] =>
  found.filter(({ group }) => group !== pid);

async function untilGone(group: number, strays: readonly TableEntry[], mostMs: number): Promise<void> {
  const last = performance.now() + mostMs;
  while ((strays.some(isRunning) || groupRuns(group)) && performance.now() < last) await sleep(POLL_MS);
}

/** Kills the processes of a tree repeatedly until none is found, because new ones may start while others are killed. */
function killByForce(tree: ProcessTree, known: readonly TableEntry[]): readonly TableEntry[] {
  const killed: TableEntry[] = [];
  sendToGroup(tree.pid, 'SIGKILL');
  let found: readonly TableEntry[] = known.filter(isRunning);
  for (let round = 0; round < MOST_ROUNDS && found.length > 0; round += 1) {
    for (const { pid } of found) send(pid, 'SIGKILL');
    killed.push(...found);
    found = outside(findMarked(tree.mark), tree.pid);
  }
  return killed;
}

/** Ends a process tree: sends SIGTERM, waits for `graceMs` and then kills the remaining processes. */
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

/** Kills all processes that carry a mark, synchronously. Only Linux shows the marks of processes. */
export function killMarked(mark: string): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = findMarked(mark);
    if (found.length === 0) return;
    for (const { pid } of found) send(pid, 'SIGKILL');
  }
}

/** Kills a tree synchronously, because nothing asynchronous runs while this process exits. */
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

/** Kills the tree if this process exits before the tree has ended. Returns a function that cancels this. */
export function trackTree(tree: ProcessTree): () => void {
  if (!watching) process.on('exit', killAll);
  watching = true;
  live.add(tree);
  return () => live.delete(tree);
}

/** The time in milliseconds that processes left by a crash get to end after SIGTERM. */
const POLITE_MS = 1_000;

const pause = new Int32Array(new SharedArrayBuffer(4));

interface LeftTree {
  readonly mark: string;
  /** The leader's process id, or null if it is not known. */
  readonly pid: number | null;
  /** True if the process id still belongs to the same process. */
  readonly isSame: boolean;
}

function waitWhile(runs: () => boolean, mostMs: number): void {
  for (let waited = 0; waited < mostMs && runs(); waited += POLL_MS) Atomics.wait(pause, 0, 0, POLL_MS);
}

/**
 * Sends SIGTERM to the remaining processes of a tree and waits for them to end, because git removes its lock files when
 * it receives this signal.
 */
function requestEnd(group: number | null, marked: readonly TableEntry[]): void {
  if (WINDOWS) return;
  if (group !== null) sendToGroup(group, 'SIGTERM');
  for (const { pid } of marked) send(pid, 'SIGTERM');
  waitWhile(() => marked.some(isRunning) || (group !== null && groupRuns(group)), POLITE_MS);
}

/**
 * Ends the tree of a RoboSmith process that has died: with SIGTERM, then by force. Returns the number of processes
 * found.
 */
export function killLeftTree({ mark, pid, isSame }: LeftTree): number {
  const marked = findMarked(mark);
  // A group id is not reused while the group has members, so a marked member proves that the group is ours.
  const isOurs = pid !== null && (isSame || marked.some(({ group }) => group === pid));
  const before = isOurs ? findTree(pid, mark) : [];
  requestEnd(isOurs ? pid : null, marked);
  const found = isOurs ? [...before, ...killAtOnce({ pid, mark })] : [];
  for (const { pid: stray } of marked) send(stray, 'SIGKILL');
  const all = [...new Map([...marked, ...found].map((entry) => [entry.pid, entry])).values()];
  waitWhile(() => all.some(isRunning), REAP_MS);
  return Math.max(all.length, isSame ? 1 : 0);
}

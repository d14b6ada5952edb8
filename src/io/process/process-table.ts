import { readdirSync, readFileSync } from 'node:fs';
import { carriesMark } from './process-mark.ts';

/** One process in the process table of the system. */
export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks between boot and the start of the process; identifies a process together with its pid. */
  readonly start: string;
}

const HAS_TABLE = process.platform === 'linux';

/**
 * Reads a process from `/proc/<pid>/stat`: `pid (name) state ppid pgrp session … start`, where the name may hold any
 * character. Returns null if the process has ended; a zombie counts as ended.
 */
function readEntry(pid: number): TableEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group, session, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: more[15] ?? '',
    };
  } catch {
    return null;
  }
}

/** Returns the ids of all visible processes except this one; none where the system has no `/proc`. */
function pids(): readonly number[] {
  if (!HAS_TABLE) return [];
  try {
    return readdirSync('/proc').flatMap((name) => {
      const pid = Number(name);
      return Number.isInteger(pid) && pid !== process.pid ? [pid] : [];
    });
  } catch {
    return [];
  }
}

function carries(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    // Searching for the mark as plain text is fast and excludes most processes.
    return environment.includes(mark) && carriesMark(environment, mark);
  } catch {
    return false;
  }
}

/** Returns the most recently assigned process id. Ids increase until they wrap around. */
function lastPid(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
}

/**
 * Returns the processes whose environment carries a mark; this costs half as much as reading the whole table. `since`
 * is the first process id of a recently started tree, or 0. Lower ids are skipped, unless ids have wrapped around since
 * then.
 */
export function findMarked(mark: string, since = 0): readonly TableEntry[] {
  const from = since > 0 && HAS_TABLE && lastPid() >= since ? since : 0;
  return pids().flatMap((pid) => {
    const entry = pid >= from && carries(pid, mark) ? readEntry(pid) : null;
    return entry === null ? [] : [entry];
  });
}

/**
 * Returns a process tree: the leader, the members of its group and session, the processes that carry the mark, and the
 * descendants of all these. A process that has cleared its environment is found only as long as its parents live.
 */
export function findTree(leader: number, mark: string): readonly TableEntry[] {
  const table = pids().flatMap((pid) => readEntry(pid) ?? []);
  const found = new Set(
    table.flatMap(({ pid, group, session }) =>
      pid === leader || group === leader || session === leader || carries(pid, mark) ? [pid] : [],
    ),
  );
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  return table.filter(({ pid }) => found.has(pid));
}

/** Returns whether the process still runs, and its id has not been reused. */
export const isRunning = ({ pid, start }: TableEntry): boolean => readEntry(pid)?.start === start;

/** Returns whether a group has only zombies left; false where there is no process table. */
export const hasOnlyZombies = (group: number): boolean =>
  HAS_TABLE && !pids().some((pid) => readEntry(pid)?.group === group);

import { readdirSync, readFileSync } from 'node:fs';
import { carriesMark } from './process-mark.ts';

/** A line of the system's table. */
export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Ticks since boot: with the number it names one process. */
  readonly start: string;
}

const HAS_TABLE = process.platform === 'linux';

/** `pid (name) state ppid pgrp session … start`, where a name may hold anything. Null: it has ended, a zombie too. */
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

/** All that is seen from here but ourselves; none where the system has no such table (Linux has). */
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
    // A look for the digits alone is fast, and lets most processes pass.
    return environment.includes(mark) && carriesMark(environment, mark);
  } catch {
    return false;
  }
}

/** The number that was given last: they go up, until they begin anew. */
function lastPid(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
}

/**
 * Processes that carry a mark in the environment with which they were started; half as dear as to read the table. `since`: of a tree
 * so young that the numbers can't have gone round, its first one; only later ones are looked at, unless they began anew in between.
 */
export function findMarked(mark: string, since = 0): readonly TableEntry[] {
  const from = since > 0 && HAS_TABLE && lastPid() >= since ? since : 0;
  return pids().flatMap((pid) => {
    const entry = pid >= from && carries(pid, mark) ? readEntry(pid) : null;
    return entry === null ? [] : [entry];
  });
}

/** A process, all in its group or session, all below those, and all that carry the mark: also what has cleared its environment, as long as its parents live. */
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

/** Is it still there, and nobody else by its number? */
export const stillRuns = ({ pid, start }: TableEntry): boolean => readEntry(pid)?.start === start;

/** Has a group that has members nobody who runs? Where there is no table: not that we knew. */
export const hasOnlyZombies = (group: number): boolean =>
  HAS_TABLE && !pids().some((pid) => readEntry(pid)?.group === group);

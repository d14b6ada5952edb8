import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { isPid } from '#protocol/process-identity.ts';
import type { Liveness, ProcessIdentity } from '#protocol/process-identity.ts';

/**
 * The queries to the operating system. Tests replace them, so that the answers of each system can be tested on every
 * system.
 */
export interface ProcessSource {
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly host: string;
  /** Returns whether a process has this id, or null if this is unknown. */
  exists(pid: number): boolean | null;
  /** Returns the content of a file, or null if it is missing or not readable. */
  read(file: string): string | null;
  readLink(file: string): string | null;
  run(program: string, args: readonly string[]): string | null;
}

/** The start time of a process, unique for its id since the last boot; `ended` for a zombie, null if unknown. */
type Start = string | null;

interface ProcessTable {
  /** An id of the current boot; empty if the system has none. */
  readonly boot: string;
  /** The pid namespace: a container has process ids of its own. Empty if the system has none. */
  readonly space: string;
  startOf(pid: number): Start;
}

const ENDED = 'ended';

/**
 * Reads the start time from `/proc/<pid>/stat`. Field 22 counts clock ticks since boot; the name in parentheses before
 * it may hold spaces and parentheses.
 */
function startInProc(stat: string | null): Start {
  if (stat === null) return null;
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? ENDED : (fields[18] ?? null);
}

/** Reads the start time from a line of `ps`, for example `Ss   Mon Nov 23 10:00:00 2026`. */
function startInPs(line: string | null): Start {
  const [state = '', ...time] = (line ?? '').trim().split(/\s+/);
  if (state.startsWith('Z')) return ENDED;
  return time.length === 0 ? null : time.join(' ');
}

function tableOf({ platform, read, readLink, run }: ProcessSource): ProcessTable {
  if (platform === 'win32') return { boot: '', space: '', startOf: () => null };
  if (platform === 'linux')
    return {
      boot: read('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
      space: readLink('/proc/self/ns/pid') ?? '',
      startOf: (pid) => startInProc(read(`/proc/${pid}/stat`)),
    };
  return {
    boot: run('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() ?? '',
    space: '',
    startOf: (pid) => startInPs(run('/bin/ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)])),
  };
}

const encode = ({ boot, space }: ProcessTable, start: Start): string | null =>
  start === null ? null : [boot, space, start].join('/');

function decode(started: string | null): { boot: string; space: string; start: Start } {
  const [boot = '', space = '', start = null] = (started ?? '').split('/');
  return { boot, space, start };
}

/** The host name that Docker and Podman give a container; it is unique. */
const CONTAINER = /^[0-9a-f]{12}$/;

const differ = (one: string, other: string): boolean => one !== '' && other !== '' && one !== other;

/**
 * Returns whether a process id refers to this process table, to a table that no longer exists, or to one elsewhere
 * (another machine or container). Boot and namespace are compared before the host name, since a host may be renamed.
 */
function placeOf(who: ProcessIdentity, host: string, table: ProcessTable): 'here' | 'gone' | 'elsewhere' {
  const { boot, space } = decode(who.started);
  if (boot !== '' && boot === table.boot && space === table.space) return 'here';
  if (who.host !== host) return 'elsewhere';
  if (differ(boot, table.boot)) return 'gone';
  // The namespaces differ on one host name. If it is the name of a container, the container was restarted; otherwise
  // two containers share the name and can't see each other's processes.
  if (differ(space, table.space)) return CONTAINER.test(host) ? 'gone' : 'elsewhere';
  return 'here';
}

/** Checks whether processes are alive, and identifies running processes. */
interface Identities extends Liveness {
  identify(pid: number): ProcessIdentity;
  /**
   * Returns whether a process was started in the current boot and in this pid namespace; false if the system can't say.
   */
  isOfThisBoot(who: ProcessIdentity): boolean;
}

export function createLiveness(source: ProcessSource): Identities {
  let known: { readonly table: ProcessTable; readonly self: ProcessIdentity } | null = null;
  /** Reads the data about this process table on first use, because this starts programs on macOS. */
  const know = () => {
    if (known !== null) return known;
    const table = tableOf(source);
    const { pid, host } = source;
    return (known = { table, self: { pid, started: encode(table, table.startOf(pid)), host } });
  };
  return {
    get self() {
      return know().self;
    },
    identify: (pid) => {
      const { table } = know();
      return { pid, started: encode(table, table.startOf(pid)), host: source.host };
    },
    isOfThisBoot: ({ started }) => {
      const { table } = know();
      const { boot, space } = decode(started);
      return boot !== '' && boot === table.boot && space === table.space;
    },
    isAlive: (who) => {
      if (!isPid(who.pid)) return 'dead';
      const { table } = know();
      const place = placeOf(who, source.host, table);
      if (place !== 'here') return place === 'gone' ? 'dead' : 'unknown';
      const exists = source.exists(who.pid);
      if (exists !== true) return exists === false ? 'dead' : 'unknown';
      const start = table.startOf(who.pid);
      if (start === ENDED) return 'dead';
      const before = decode(who.started).start;
      return start === null || before === null || start === before ? 'alive' : 'dead';
    },
  };
}

const orNull = <Value>(ask: () => Value): Value | null => {
  try {
    return ask();
  } catch {
    return null;
  }
};

function exists(pid: number): boolean | null {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (code === 'ESRCH') return false;
    // EPERM: the process exists and belongs to another user.
    return code === 'EPERM' ? true : null;
  }
}

/** A fixed language and time zone for `ps`, because its output is compared with that of other processes. */
const PLAIN = { LC_ALL: 'C', TZ: 'UTC' };
const TIMEOUT_MS = 5_000;

/** The liveness checks for the processes of this machine. */
export const liveness: Identities = createLiveness({
  platform: process.platform,
  pid: process.pid,
  host: os.hostname(),
  exists,
  read: (file) => orNull(() => fs.readFileSync(file, 'utf8')),
  readLink: (file) => orNull(() => fs.readlinkSync(file)),
  run: (program, args) =>
    orNull(() =>
      execFileSync(program, args, {
        encoding: 'utf8',
        env: PLAIN,
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: TIMEOUT_MS,
      }),
    ),
});

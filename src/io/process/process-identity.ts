import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { isPid } from '#protocol/process-identity.ts';
import type { Liveness, ProcessIdentity } from '#protocol/process-identity.ts';

/** What the system is asked, so that the answers of each system can be tried on any. */
export interface ProcessSource {
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly host: string;
  /** Null: it doesn't say. */
  exists(pid: number): boolean | null;
  /** Null: not there, or not for us. */
  read(file: string): string | null;
  readLink(file: string): string | null;
  run(program: string, args: readonly string[]): string | null;
}

/** A start that only one process of a boot has, `ended` for a zombie, null where the system tells nothing. */
type Start = string | null;

interface ProcessTable {
  /** The same until the machine starts again. */
  readonly boot: string;
  /** Which processes can be seen: a container has numbers of its own. */
  readonly space: string;
  startOf(pid: number): Start;
}

const ENDED = 'ended';

/** Field 22 counts ticks since boot. Before it comes the name in parentheses, which may hold spaces and parentheses. */
function startInProc(stat: string | null): Start {
  if (stat === null) return null;
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? ENDED : (fields[18] ?? null);
}

/** `Ss   Mon Nov 23 10:00:00 2026` */
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

/** The name that Docker and Podman give to a container, and to no second one. */
const CONTAINER = /^[0-9a-f]{12}$/;

const differ = (one: string, other: string): boolean => one !== '' && other !== '' && one !== other;

/** Is a process of that identity one of this table? If so the table knows, whatever the machine is called by now. */
function placeOf(who: ProcessIdentity, host: string, table: ProcessTable): 'here' | 'gone' | 'elsewhere' {
  const { boot, space } = decode(who.started);
  if (boot !== '' && boot === table.boot && space === table.space) return 'here';
  if (who.host !== host) return 'elsewhere';
  if (differ(boot, table.boot)) return 'gone';
  // A container that was started again; or two side by side that share a name, which can't see each other.
  if (differ(space, table.space)) return CONTAINER.test(host) ? 'gone' : 'elsewhere';
  return 'here';
}

/** With the identity of any process that is there. */
export interface Identities extends Liveness {
  identify(pid: number): ProcessIdentity;
  /** Whether it ran on this machine since it was started, in the same table of processes; false where the system cannot say. */
  isOfThisBoot(who: ProcessIdentity): boolean;
}

export function createLiveness(source: ProcessSource): Identities {
  let known: { readonly table: ProcessTable; readonly self: ProcessIdentity } | null = null;
  /** On macOS it starts programs, so only when it is needed. */
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
    // It is somebody else's.
    return code === 'EPERM' ? true : null;
  }
}

/** Times in one language and one zone: they are compared with those that another process was told. */
const PLAIN = { LC_ALL: 'C', TZ: 'UTC' };
const PATIENCE_MS = 5_000;

/** The processes of this machine. */
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
        timeout: PATIENCE_MS,
      }),
    ),
});

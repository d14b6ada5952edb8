import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLiveness, liveness } from '#io/process/process-identity.ts';
import type { ProcessSource } from '#io/process/process-identity.ts';
import type { ProcessIdentity } from '#protocol/process-identity.ts';
import { until } from '../../../support/until.ts';

const onLinux = process.platform === 'linux';
const { self } = liveness;

/** Returns the output of a program that runs in another process. */
const selfOf = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
const MODULE = new URL('../../../../src/io/process/process-identity.ts', import.meta.url).href;
const PRINT_IDENTITY = `import { liveness } from '${MODULE}'; process.stdout.write(JSON.stringify(liveness.self))`;

let folder = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-identity-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

function start(program: string, args: readonly string[]): ChildProcess & { readonly pid: number } {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  if (child.pid === undefined) throw new Error(`${program} did not start`);
  return Object.assign(child, { pid: child.pid });
}

/** Returns the identity of this process with some fields changed, for example the host. */
const change = (who: Partial<ProcessIdentity>): ProcessIdentity => ({ ...self, ...who });

describe('the processes of this machine', () => {
  test('this one is alive', () => {
    expect(self.pid).toBe(process.pid);
    expect(self.host).toBe(os.hostname());
    expect(liveness.isAlive(self)).toBe('alive');
  });

  test('another one tells an identity that holds while it runs, and no longer', async () => {
    const child = start(process.execPath, [
      '--input-type=module',
      '-e',
      `${PRINT_IDENTITY}; setInterval(() => 0, 1000)`,
    ]);
    const [bytes] = (await once(child.stdout!, 'data')) as [Buffer];
    const who = JSON.parse(String(bytes)) as ProcessIdentity;
    expect(who.pid).toBe(child.pid);
    expect(liveness.isAlive(who)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(liveness.isAlive(who)).toBe('dead');
    expect(liveness.isAlive(JSON.parse(selfOf(PRINT_IDENTITY)) as ProcessIdentity)).toBe('dead');
  });

  test('on another host nothing is known', () => {
    expect(liveness.isAlive({ pid: process.pid, started: null, host: 'elsewhere' })).toBe('unknown');
    expect(liveness.isAlive({ pid: process.pid, started: 'boot/space/1', host: 'elsewhere' })).toBe('unknown');
  });

  test('what is no number of a process is dead', () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 40])
      expect(liveness.isAlive(change({ pid }))).toBe('dead');
  });

  test.runIf(onLinux)('one that has the number of a dead one is not that one', () => {
    const [boot, space, ticks] = self.started!.split('/');
    expect(liveness.isAlive(change({ started: [boot, space, Number(ticks) - 1].join('/') }))).toBe('dead');
    expect(liveness.isAlive(change({ started: ['another boot', space, ticks].join('/') }))).toBe('dead');
  });

  test.runIf(onLinux)('one that only changed its host name is still that one', () => {
    expect(liveness.isAlive(change({ host: 'a new name' }))).toBe('alive');
  });

  test.runIf(onLinux)('a name with spaces and parentheses hides nothing', () => {
    const program = path.join(folder, 'x) Z 1 (2) 3 4');
    fs.symlinkSync('/bin/sleep', program);
    const { pid } = start(program, ['1000']);
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    expect(stat).toContain('(x) Z 1 (2) 3 4)');
    const ticks = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[20]);
    const startedAt = (value: number) => [...self.started!.split('/').slice(0, 2), value].join('/');
    expect(liveness.isAlive({ pid, started: startedAt(ticks), host: self.host })).toBe('alive');
    expect(liveness.isAlive({ pid, started: startedAt(ticks - 1), host: self.host })).toBe('dead');
  });

  test.runIf(onLinux)('a zombie is dead', async () => {
    // The parent shell is replaced by a program that never collects exit codes. Then the child ends.
    const flag = path.join(folder, 'flag');
    fs.writeFileSync(flag, '');
    const child = `while [ -e '${flag}' ]; do sleep 0.01; done`;
    const parent = start('/bin/sh', ['-c', `(${child}) & echo $!; exec sleep 1000`]);
    const [bytes] = (await once(parent.stdout!, 'data')) as [Buffer];
    const pid = Number(String(bytes));
    await until(() => fs.readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    fs.rmSync(flag);
    await until(() => / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')));
    expect(() => process.kill(pid, 0)).not.toThrow();
    expect(liveness.isAlive({ pid, started: null, host: self.host })).toBe('dead');
    expect(liveness.isAlive({ pid: parent.pid, started: null, host: self.host })).toBe('alive');
  });
});

const quiet: ProcessSource = {
  platform: 'linux',
  pid: 7,
  host: 'forge',
  exists: () => true,
  read: () => null,
  readLink: () => null,
  run: () => null,
};

const stat = (pid: number, state: string, ticks: number): string =>
  `${pid} (node) ${[state, ...Array.from({ length: 18 }, () => 0), ticks, 0, 0].join(' ')}\n`;

/**
 * Returns a source of process data for a Linux system with one boot id, one PID namespace, and processes that started
 * at these ticks.
 */
const linux = (
  boot: string,
  space: string,
  ticks: Readonly<Record<number, number>>,
  host = 'forge',
): ProcessSource => ({
  ...quiet,
  host,
  exists: (pid) => pid in ticks,
  read: (file) => {
    if (file === '/proc/sys/kernel/random/boot_id') return `${boot}\n`;
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(file)?.[1]);
    return pid in ticks ? stat(pid, 'S', ticks[pid]!) : null;
  },
  readLink: (file) => (file === '/proc/self/ns/pid' ? space : null),
});

describe('what other systems tell', () => {
  test('Linux: boot, table of processes and ticks make an identity', () => {
    expect(createLiveness(linux('b1', 'pid:[1]', { 7: 4711 })).self).toEqual({
      pid: 7,
      started: 'b1/pid:[1]/4711',
      host: 'forge',
    });
  });

  test.each([
    ['the same process', linux('b1', 's1', { 7: 100 }), 'alive'],
    ['its number, given again', linux('b1', 's1', { 7: 101 }), 'dead'],
    ['no such number', linux('b1', 's1', { 8: 100 }), 'dead'],
    ['after a new start of the machine', linux('b2', 's1', { 7: 100 }), 'dead'],
    ['a new host name', linux('b1', 's1', { 7: 100 }, 'anvil'), 'alive'],
    ['another machine', linux('b2', 's1', { 7: 100 }, 'anvil'), 'unknown'],
    ['another container beside it, of the same name', linux('b1', 's2', { 7: 100 }), 'unknown'],
    ['another container', linux('b1', 's2', { 7: 100 }, 'anvil'), 'unknown'],
    ['a system that tells nothing', { ...quiet, host: 'forge' }, 'alive'],
    ["a number that we can't ask for", { ...linux('b1', 's1', {}), exists: () => null }, 'unknown'],
    ["somebody else's, that hides", { ...linux('b1', 's1', {}), exists: () => true }, 'alive'],
  ])('%s', (_, source, expected) => {
    expect(createLiveness(source).isAlive({ pid: 7, started: 'b1/s1/100', host: 'forge' })).toBe(expected);
  });

  test('a container that was started again has the processes of its last life no more', () => {
    const host = '0123456789ab';
    const { isAlive } = createLiveness(linux('b1', 's2', { 7: 100 }, host));
    expect(isAlive({ pid: 7, started: 'b1/s1/100', host })).toBe('dead');
  });

  const mac = (lines: Readonly<Record<string, string>>, host = 'forge'): ProcessSource => ({
    ...quiet,
    platform: 'darwin',
    host,
    exists: (pid) => pid in lines,
    run: (program, args) => {
      if (program === '/usr/sbin/sysctl' && args.join(' ') === '-n kern.bootsessionuuid') return 'UUID-1\n';
      return program === '/bin/ps' ? (lines[args.at(-1)!] ?? null) : null;
    },
  });
  const LINE = 'Ss   Mon Nov  2 10:00:00 2026\n';

  test('macOS: boot session and start time make an identity', () => {
    expect(createLiveness(mac({ 7: LINE })).self).toEqual({
      pid: 7,
      started: 'UUID-1//Mon Nov 2 10:00:00 2026',
      host: 'forge',
    });
  });

  test.each([
    ['the same process', mac({ 7: LINE }), 'alive'],
    ['in another network, with another name', mac({ 7: LINE }, 'forge.local'), 'alive'],
    ['its number, given again', mac({ 7: 'S    Mon Nov  2 10:00:01 2026\n' }), 'dead'],
    ['a zombie', mac({ 7: 'Z    Mon Nov  2 10:00:00 2026\n' }), 'dead'],
    ['no such number', mac({}), 'dead'],
  ])('macOS: %s', (_, source, expected) => {
    expect(createLiveness(source).isAlive(createLiveness(mac({ 7: LINE })).self)).toBe(expected);
  });

  test('Windows: the number decides', () => {
    const windows: ProcessSource = { ...quiet, platform: 'win32', exists: (pid) => pid === 7 };
    const { self: who, isAlive } = createLiveness(windows);
    expect(who).toEqual({ pid: 7, started: null, host: 'forge' });
    expect(isAlive(who)).toBe('alive');
    expect(isAlive({ ...who, pid: 8 })).toBe('dead');
    expect(isAlive({ ...who, host: 'anvil' })).toBe('unknown');
  });
});

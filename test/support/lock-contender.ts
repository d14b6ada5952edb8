import fs from 'node:fs';
import { acquireEngineLock } from '#actors/engine-lock/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import { liveness } from '#io/process/process-identity.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/*
 * A process that wants the engine lock: `lock-contender.ts <.flow> <marks> <how>`. With each line of its input it tries until it
 * owns the lock; it marks in a common file when it begins to own it and when it ends to, and says when it is ready for a line.
 *
 * how: `release`: works for a while, and releases. `hold`: keeps it until somebody kills it.
 *      `die:<n>`: as `release`, but kills itself at its n-th file call, as a crash there would.
 */
const [, , folder = '', marks = '', how = ''] = process.argv;
const { pid } = process;

const dieAt = how.startsWith('die:') ? Number(how.slice('die:'.length)) : 0;
let made = 0;

const deadly = (real: FileCalls): FileCalls =>
  Object.fromEntries(
    Object.entries(real).map(([name, call]: [string, (...given: readonly unknown[]) => unknown]) => [
      name,
      (...given: readonly unknown[]) => {
        made += 1;
        if (made === dieAt) process.kill(pid, 'SIGKILL');
        return call(...given);
      },
    ]),
  ) as unknown as FileCalls;

const mark = (what: string): void => fs.appendFileSync(marks, `${what} ${pid}\n`);

/** Long enough for the others to try. */
const TURNS = 20;

function work(left: number, release: () => void): void {
  if (left > 0) {
    setImmediate(work, left - 1, release);
    return;
  }
  mark('end');
  release();
  process.stdout.write('ready\n');
}

function contend(): void {
  const lock = acquireEngineLock({
    folder,
    liveness,
    socket: null,
    now: () => Date.now(),
    newId: () => newId(8),
    calls: deadly(fileCalls),
  });
  if (!lock.ok) {
    setTimeout(contend, 2);
    return;
  }
  mark('start');
  if (how === 'hold') process.stdout.write('owner\n');
  else work(TURNS, lock.release);
}

process.stdin.on('data', contend);
process.stdout.write('ready\n');

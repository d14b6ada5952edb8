import fs from 'node:fs';
import { acquireEngineLock } from '#actors/engine-lock/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import { liveness } from '#io/process/process-identity.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/*
 * `lock-contender.ts <.flow> <marks> <how>`: a process that competes for the engine lock. For each line on stdin it
 * tries until it owns the lock. It records in a shared file when its ownership begins and ends, and prints when it is
 * ready for the next line. Values of `how`: `release` works for a while and releases the lock; `hold` keeps it until
 * the process is killed; `die:<n>` is like `release`, but the process kills itself at its n-th file call.
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

/** Number of event loop turns that give other processes time to try. */
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

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../../support/lock-contender.ts', import.meta.url));
const rounds = Number(process.env['ROBOSMITH_LOCK_ROUNDS'] ?? 20);

let folder = '';
let marks = '';
const running = new Set<ChildProcess>();
beforeEach(() => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-contenders-'));
  folder = path.join(root, '.flow');
  marks = path.join(root, 'marks');
  fs.mkdirSync(folder);
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  fs.rmSync(path.dirname(folder), { recursive: true, force: true });
});

interface Contender {
  readonly pid: number;
  /** Returns the next line of the process's output, or null after its end. */
  says(): Promise<string | null>;
  /** The signal that ended the process, or null. */
  readonly gone: Promise<string | null>;
  go(): void;
  end(): void;
}

function start(how: string): Contender {
  const child = spawn(process.execPath, [PROGRAM, folder, marks, how], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // The process may die before it reads its input.
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid!,
    says: async () => {
      const { done, value } = await lines.next();
      return done === true ? null : value;
    },
    gone: once(child, 'exit').then(([, signal]) => {
      running.delete(child);
      return signal as string | null;
    }),
    go: () => void child.stdin.write('go\n'),
    end: () => child.stdin.end(),
  };
}

/** Logs the kill before it happens, so that the start of the next owner is always logged later. */
async function kill({ pid, gone }: Contender): Promise<void> {
  fs.appendFileSync(marks, `killed ${pid}\n`);
  process.kill(pid, 'SIGKILL');
  expect(await gone).toBe('SIGKILL');
}

/**
 * Lets the living processes and four new ones compete for the lock at the same time. Two of the new ones are killed
 * while they own the lock; the other two die at a file call while they acquire or release it.
 */
async function contend(living: readonly Contender[], round: number): Promise<void> {
  const holding = [start('hold'), start('hold')];
  const dying = [start(`die:${2 * round + 1}`), start(`die:${2 * round + 2}`)];
  const fresh = [...holding, ...dying];
  for (const each of fresh) expect(await each.says()).toBe('ready');
  for (const each of [...living, ...fresh]) each.go();
  await Promise.all([
    ...holding.map(async (each) => {
      expect(await each.says()).toBe('owner');
      await kill(each);
    }),
    ...living.map(async (each) => expect(await each.says()).toBe('ready')),
    ...dying.map(async ({ says, end, gone }) => {
      await says();
      end();
      await gone;
    }),
  ]);
}

/**
 * Returns how many owners ended normally and how many were killed. Fails if two processes owned the lock at the same
 * time.
 */
function readMarks(): { end: number; killed: number } {
  const lines = fs.readFileSync(marks, 'utf8').trim().split('\n');
  const ends = { end: 0, killed: 0 };
  let owner: string | null = null;
  for (const [at, line] of lines.entries()) {
    const [what, pid] = line.split(' ') as ['start' | 'end' | 'killed', string];
    expect(owner, lines.slice(Math.max(0, at - 3), at + 1).join(', ')).toBe(what === 'start' ? null : pid);
    owner = what === 'start' ? pid : null;
    if (what !== 'start') ends[what] += 1;
  }
  expect(owner).toBeNull();
  return ends;
}

/** Number of file calls that is enough to acquire and release the lock without contention. */
const CALLS = 40;

test(
  `of eight processes one owns the lock at a time, and the next one gets it when it dies (${String(rounds)} rounds)`,
  { timeout: 0 },
  async () => {
    const living = Array.from({ length: 4 }, () => start('release'));
    for (const each of living) expect(await each.says()).toBe('ready');
    for (let round = 0; round < rounds; round += 1) await contend(living, round % (CALLS / 2));
    for (const each of living) each.end();
    expect(await Promise.all(living.map(({ gone }) => gone))).toEqual([null, null, null, null]);

    const { end, killed } = readMarks();
    expect(killed).toBe(2 * rounds);
    expect(end).toBeGreaterThanOrEqual(4 * rounds);
    // The claims of dead processes have been removed.
    const claims = fs.readdirSync(path.join(folder, 'engine.lock')).filter((name) => /^\d+\.json$/.test(name));
    expect(claims.length).toBeLessThan(8);
  },
);

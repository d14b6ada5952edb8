import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job, Told } from './job.ts';
import { bundleProgram, type EngineProcess, startProcess } from './process-pool.ts';

const rounds = Number(process.env['ROBOSMITH_CRASH_ENGINES'] ?? 20);

const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-engines-'));
let file = '';
let removeProgram = (): void => undefined;
const running = new Set<EngineProcess>();

beforeAll(async () => {
  const program = await bundleProgram();
  ({ file } = program);
  removeProgram = program.remove;
});

afterAll(() => {
  for (const { kill } of running) void kill();
  removeProgram();
  rmSync(folder, { recursive: true, force: true });
});

const claimOf = (name: string): Job => ({
  place: 'claim',
  root: path.join(folder, name),
  tasks: [],
  conduct: 'as_scripted',
  pass: 0,
  killAt: null,
});

/** Starts a process and lets it open an engine once, so that all processes are equally fast afterwards. */
async function start(): Promise<EngineProcess> {
  const started = startProcess(file, () => running.delete(started));
  running.add(started);
  const own = claimOf(`own-${started.pid}`);
  await started.do(own);
  await started.do(own);
  return started;
}

const ownerOf = (told: Told): number | null => {
  if (told.kind !== 'claimed') throw new Error(JSON.stringify(told));
  return told.owner;
};

describe('engines that are started at once on one root', () => {
  test(
    `exactly one owns it (${rounds} times), after a crash of its owner as after its end`,
    { timeout: 0 },
    async () => {
      const claim = claimOf('shared');
      let pair = [await start(), await start()] as const;
      const crashed: number[] = [];
      const winners: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const owners = (await Promise.all(pair.map((one) => one.do(claim)))).map(ownerOf);
        const [first, second] = pair;
        // Both processes report the same owner of the engine lock, and it is one of the two.
        expect(owners).toEqual([owners[0], owners[0]]);
        expect([first.pid, second.pid]).toContain(owners[0]);
        const owner = owners[0] === first.pid ? first : second;
        const other = owner === first ? second : first;
        winners.push(pair.indexOf(owner));
        if (round % 2 === 0) {
          crashed.push(owner.pid);
          await owner.kill();
          pair = [other, await start()];
        } else {
          expect(ownerOf(await owner.do(claim))).toBe(null);
          pair = [other, owner];
        }
      }
      expect(crashed).toHaveLength(Math.ceil(rounds / 2));
      console.log(
        `${rounds} times two engines at once: the first won ${winners.filter((index) => index === 0).length} times`,
      );
    },
  );
});

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../../support/folder-picture.ts';
import { newFolder, removeFolder } from '../../../../../support/in-folder.ts';
import { type Command, MOVES, scenario } from './commands.ts';
import { leftInScratch, operate } from './operate.ts';
import { Killed, killedAt, newTemplate, newWorld, type World } from './world.ts';
import { seed } from '../../../../../support/seeded-random.ts';

const scenarios = Number(process.env['ROBOSMITH_WORK_SCENARIOS'] ?? 200);

let base = '';
beforeAll(async () => {
  base = await newFolder();
  newTemplate(path.join(base, 'template'));
});
afterAll(() => removeFolder(base));

const ends: Record<string, number> = {};
const count = (end: string): void => void (ends[end] = (ends[end] ?? 0) + 1);

async function act(world: World, command: Extract<Command, { file: string }>): Promise<void> {
  const folder = command.inMain ? world.main : world.work;
  if (!existsSync(folder)) return;
  if (command.kind === 'edit') world.edit(folder, command.file);
  else if (command.kind === 'remove') rmSync(path.join(folder, command.file), { force: true });
  else if (command.kind === 'stage') await world.git(folder, 'add', '-A', '--', '.');
  else if (command.kind === 'commit') await world.commit(folder);
  else {
    // Changes the same file on the base and in the session.
    for (const one of [world.main, world.work].filter((place) => existsSync(place))) {
      world.edit(one, command.file);
      await world.commit(one);
    }
  }
}

async function moveHead(world: World, move: string): Promise<void> {
  if (existsSync(world.work)) for (const args of MOVES[move] ?? []) await world.git(world.work, ...args);
}

/** Returns the state that a refused merge must leave unchanged. */
const stateOf = async ({ git, main, work }: World) => ({
  refs: await git(main, 'for-each-ref', 'refs/heads'),
  files: [folderPicture(main), existsSync(work) ? folderPicture(work) : {}],
});

/** The results of a successful merge. The last two are about the removal of the worktree. */
const MERGED = ['merged', 'removed', 'has_work'];

const MERGES = ['squash', 'merge', 'rebase', 'accept'];

const places = ({ main, work }: World): readonly string[] => [main, work].filter((folder) => existsSync(folder));

const treesOf = async (world: World) =>
  new Map(await Promise.all(places(world).map(async (folder) => [folder, await world.committed(folder)] as const)));

/**
 * Continues after a killed merge as a person would: commits one file, then all others. The commits of the killed merge
 * must remain.
 */
async function goOn(world: World, before: ReadonlyMap<string, ReadonlyMap<string, string>>): Promise<void> {
  for (const folder of places(world)) {
    const [old, now] = [before.get(folder), await world.committed(folder)];
    const changed = [...now.keys(), ...(old?.keys() ?? [])].filter((name) => now.get(name) !== old?.get(name));
    const check = async (): Promise<void> => {
      const then = await world.committed(folder);
      expect(changed.filter((name) => then.get(name) !== now.get(name) && then.get(name) === old?.get(name))).toEqual(
        [],
      );
    };
    world.edit(folder, 'mine');
    await world.git(folder, 'add', 'mine');
    await world.git(folder, 'commit', '-qm', 'user: one file');
    await check();
    await world.commit(folder);
    await check();
  }
}

async function check(world: World, command: Extract<Command, { killAt: number | null }>): Promise<void> {
  const isMerge = MERGES.includes(command.kind);
  // A merge commits the working tree version of a file that was staged and edited again, as `git add --all` does, so
  // the staged version may be lost.
  const works = await world.works(!isMerge);
  const before = isMerge ? await stateOf(world) : null;
  const trees = isMerge ? await treesOf(world) : null;
  let end: string | null;
  try {
    end = await operate(world, killedAt(command.killAt, command.isAfter), command);
  } catch (thrown) {
    if (!(thrown instanceof Killed)) throw thrown;
    end = 'killed';
  }
  if (end === null) return;
  count(`${command.kind} ${end}`);
  const worksNow = await world.works(!isMerge);
  expect([...works].filter((hash) => !worksNow.has(hash))).toEqual([]);
  if (trees !== null && end === 'killed') await goOn(world, trees);
  if (before === null || end === 'killed') return;
  expect(leftInScratch(world)).toEqual([]);
  if (!MERGED.includes(end)) expect(await stateOf(world)).toEqual(before);
}

let numbered = 0;

async function play(commands: readonly Command[]): Promise<void> {
  numbered += 1;
  const at = path.join(base, `${numbered}`);
  try {
    const world = await newWorld(path.join(base, 'template'), at);
    for (const command of commands)
      await ('move' in command
        ? moveHead(world, command.move)
        : 'killAt' in command
          ? check(world, command)
          : act(world, command));
    count('fsck');
    expect(await world.git(world.main, 'fsck', '--no-dangling', '--no-progress')).toBe('');
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

test(
  `no work is lost, wherever the engine is killed (${scenarios} scenarios, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async () => {
    verifies('worktrees.nothing-lost');
    await fc.assert(fc.asyncProperty(scenario, play), { numRuns: scenarios, seed });
    const counts = Object.entries(ends).sort(([a], [b]) => (a < b ? -1 : 1));
    console.log([`ROBOSMITH_SEED=${seed}`, ...counts.map(([end, times]) => `${end}: ${times}`)].join('\n'));
    expect(Object.keys(ends).filter((end) => end.endsWith('killed')).length).toBeGreaterThan(5);
  },
);

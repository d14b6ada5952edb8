import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectTasks } from '../src/engine/index.ts';
import { timed } from './measure.ts';

/** Returns a `.flow/status.md` with this many tasks, three levels deep, some with metadata. */
function planOf(tasks: number): string {
  const lines = Array.from({ length: tasks }, (_, index) => {
    const level = index % 20 === 0 ? 0 : index % 5 === 0 ? 1 : 2;
    const safe = index % 20 < 5 && level === 2 ? 1 : level;
    return `${'    '.repeat(safe)}- [ ] Task number ${index}, as somebody would write it${index % 3 === 0 ? ' <!-- type: flow, node: Feature_Implement -->' : ''}`;
  });
  return `Project: Bench\n\n${lines.join('\n')}\n`;
}

export interface TaskLoads {
  /**
   * Measures, in microseconds, how long it takes to load the plan: to read, hash, parse and validate it, and to list
   * its tasks with ids.
   */
  load(): Promise<number>;
  /** Measures, in microseconds, reading the same file and splitting it into lines. */
  floor(): Promise<number>;
  done(): void;
}

export function taskLoads(tasks: number): TaskLoads {
  const root = mkdtempSync(path.join(tmpdir(), 'robosmith-tasks-'));
  const file = path.join(root, '.flow', 'status.md');
  mkdirSync(path.dirname(file));
  writeFileSync(file, planOf(tasks));
  return {
    load: () =>
      timed(async () => {
        const listed = await projectTasks(root);
        if (!listed.ok || listed.listing.tasks.length !== tasks) throw new Error('it is not the tree that was written');
      }),
    floor: () =>
      timed(() => {
        if (readFileSync(file, 'utf8').split('\n').length !== tasks + 3) throw new Error('lines are missing');
      }),
    done: () => rmSync(root, { recursive: true, force: true }),
  };
}

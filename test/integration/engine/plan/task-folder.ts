import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createIntentLock } from '#actors/engine-lock/index.ts';
import { createTaskStore, type TaskStore } from '#actors/plan/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { isOfStep } from '#io/process/is-of-step.ts';
import { createTaskKeeper, type TaskKeeper } from '#engine/plan/task-keeper.ts';
import { taskPlace } from '#engine/plan/task-place.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { PickedTask } from '#protocol/task-work.ts';

export const RUN = 'r111' as RunId;

/** A project on disk that has only a work plan. */
export interface TaskFolder {
  readonly root: string;
  /** Returns the task keeper of a newly started engine. */
  keeper(calls?: FileCalls): TaskKeeper;
  store(calls?: FileCalls): TaskStore;
  /** Writes a file. Paths are relative to `.flow`. */
  write(file: string, text: string): void;
  read(file: string): string;
  isThere(file: string): boolean;
  /** Returns the contents of all backups of a file, the oldest first. */
  backups(file: string): readonly string[];
  remove(): void;
}

export function taskFolder(files: Readonly<Record<string, string>>): TaskFolder {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-tasks-'));
  const folder = path.join(root, '.flow');
  const at = (file: string): string => path.join(folder, file);
  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(at(file)), { recursive: true });
    fs.writeFileSync(at(file), text);
  };
  let ids = 0;
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    root,
    keeper: (calls = fileCalls) => {
      const self = { pid: 1, started: 'boot/1', host: 'here' };
      const newId = (): string => `id${(ids += 1)}`;
      const intents = createIntentLock({ calls, folder, self, now: () => 0, newId, warn: () => undefined });
      return createTaskKeeper({ root, place: taskPlace(folder, calls), intents, isOfStep });
    },
    store: (calls = fileCalls) => createTaskStore(taskPlace(folder, calls)),
    write,
    read: (file) => fs.readFileSync(at(file), 'utf8'),
    isThere: (file) => fs.existsSync(at(file)),
    backups: (file) => {
      const { dir, base } = path.parse(at(`backups/${file}`));
      const names = fs.existsSync(dir) ? fs.readdirSync(dir) : [];
      return names
        .filter((name) => name.startsWith(`${base}.`))
        .sort()
        .map((name) => fs.readFileSync(path.join(dir, name), 'utf8'));
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

/** Returns the next task. */
export async function picked(keeper: TaskKeeper): Promise<PickedTask> {
  const next = await keeper.pick();
  if (next.kind !== 'task') throw new Error(`no task: ${JSON.stringify(next)}`);
  return next.task;
}

import path from 'node:path';
import { sendControl } from '#actors/control/index.ts';
import { wallClock } from '#io/clock/clock.ts';
import { newId } from '#io/clock/identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import type { ControlAnswer } from '#protocol/control.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { TaskEdit } from './edit-tasks.ts';

/** Asks the process that owns the project's engine to edit the work plan, and waits for its answer. */
export function askToEditPlan(
  root: string,
  edit: TaskEdit,
  by: string,
  timeoutMs: number,
): Promise<ControlAnswer | 'no_answer'> {
  const parts = {
    calls: fileCalls,
    folder: path.join(root, '.flow'),
    watch: folderWatch,
    newId: () => newId(6),
    clock: wallClock,
  };
  return sendControl(
    parts,
    { verb: 'plan', edit: JSON.parse(JSON.stringify(edit)) as JsonObject, pid: process.pid, by },
    timeoutMs,
  );
}

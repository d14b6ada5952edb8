import { refusalResponse } from '#engine/authoring.ts';
import { type engineOwner, isElsewhere } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Response } from '#protocol/response.ts';
import { ageText } from '../print/time-text.ts';

export type Owner = NonNullable<ReturnType<typeof engineOwner>>;

/** Returns a problem with the stored state as a Response; null for other errors. */
export function stateTrouble(thrown: unknown): Response | null {
  if (RoboSmithError.is(thrown, 'corrupt_state') || RoboSmithError.is(thrown, 'state_not_saved'))
    return refusalResponse(thrown.code === 'corrupt_state' ? 'corrupt_state' : 'state_not_saved', {
      message: thrown.message,
      ...thrown.data,
    });
  // System errors: the disk is full or read-only, or access is denied.
  if (thrown instanceof Error && 'syscall' in thrown)
    return refusalResponse('state_not_saved', { message: `The state in .flow can't be written: ${thrown.message}` });
  return null;
}

/** Returns which process owns the engine without a socket, and what to do. */
export function busyText(owner: Owner): string {
  const { pid, host, since } = owner;
  const elsewhere = isElsewhere(owner);
  const who = elsewhere ? `Process ${pid} on the machine ${host}` : `Process ${pid}`;
  const does = `${who} has been running this project's engine for ${ageText(since, Date.now())}, and a project has only one engine.`;
  if (elsewhere) return `${does} This machine can't check whether it is alive. If it is not, remove .flow/engine.lock.`;
  return `${does} It takes no requests: it is a program that uses the library, or an older version. Wait until it ends.`;
}

/** Returns the refusal of a command because a process without a socket owns the engine. */
export function busy(owner: Owner): Response {
  const { pid, host, since } = owner;
  return refusalResponse('engine_busy', { message: busyText(owner), pid, host, since, next: ['robosmith runs'] });
}

import { RoboSmithError } from '#protocol/error.ts';
import type { Condition } from '#protocol/condition.ts';
import type { Worker } from '#protocol/worker.ts';

/** Returns the name of a value's kind, for a message. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : value === undefined ? 'nothing' : `a ${typeof value}`;
}

const slip = (argument: string, expected: string, value: unknown): RoboSmithError =>
  new RoboSmithError('usage', `${argument} must be ${expected}; ${kindOf(value)} was given.`, { argument });

/** Throws `usage` unless the value is a plain object, not an array. */
export function checkObject(argument: string, value: unknown, expected = 'an object'): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map)
    throw slip(argument, expected, value);
}

export function checkText(argument: string, value: unknown): void {
  if (typeof value !== 'string') throw slip(argument, 'a string', value);
}

/** Throws `usage` unless each worker is an object with a function `execute`. */
export function checkWorkers(workers: Readonly<Record<string, Worker>> | undefined): void {
  if (workers === undefined) return;
  checkObject('workers', workers, 'an object of workers by name');
  for (const [name, worker] of Object.entries<unknown>(workers)) {
    const execute = typeof worker === 'object' && worker !== null && 'execute' in worker ? worker.execute : null;
    if (typeof execute !== 'function')
      throw slip(`The worker "${name}"`, 'an object with a function "execute"', worker);
  }
}

/** Throws `usage` unless each condition is a function. */
export function checkConditions(conditions: Readonly<Record<string, Condition>> | undefined): void {
  if (conditions === undefined) return;
  checkObject('conditions', conditions, 'an object of functions by id');
  for (const [id, condition] of Object.entries<unknown>(conditions))
    if (typeof condition !== 'function') throw slip(`The condition "${id}"`, 'a function', condition);
}

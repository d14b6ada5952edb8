import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';

/** Unchecked parameters. */
export type Params = Readonly<Record<string, unknown>>;

const wrong = (name: string, what: string): RoboSmithError =>
  new RoboSmithError('usage', `"${name}" must be ${what}.`, { parameter: name });

export function paramsOf(value: unknown): Params {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Params;
  throw new RoboSmithError('usage', 'The parameters must be a JSON object.');
}

/** Reads a text of at most `most` characters. Throws `usage` otherwise. */
export function textOf(params: Params, name: string, most = 65_536): string {
  const value = params[name];
  if (typeof value === 'string' && value.length <= most) return value;
  throw wrong(name, `a text of at most ${most} characters`);
}

export const optionalText = (params: Params, name: string, most?: number): string | null =>
  params[name] === undefined || params[name] === null ? null : textOf(params, name, most);

export function flagOf(params: Params, name: string): boolean {
  const value = params[name];
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  throw wrong(name, 'true or false');
}

export function countOf(params: Params, name: string): number {
  const value = params[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw wrong(name, 'a whole number');
}

export function oneOf<Value extends string>(params: Params, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === params[name]);
  if (found !== undefined) return found;
  throw wrong(name, values.join(', '));
}

export function runOf(params: Params): RunId {
  const run = textOf(params, 'run', 64);
  if (/^r[0-9a-f]{1,32}$/.test(run)) return run as RunId;
  throw wrong('run', 'the id of a run');
}

export function absolutePath(params: Params, name: string): string {
  const value = textOf(params, name);
  if (path.isAbsolute(value) && !value.includes('\0')) return path.normalize(value);
  throw wrong(name, 'an absolute path');
}

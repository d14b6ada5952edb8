import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const AS = ['begun', 'done', 'failed'] as const;

/** A trace that an execution leaves outside the engine: a line that a worker appends to a file with one call. */
export interface Effect {
  readonly task: number;
  /** The key of the execution as in the journal, without the run's id. */
  readonly key: string;
  readonly attempt: number;
  /**
   * `begun`: before the worker did anything. `failed`: the worker threw, or returned something that is not a result.
   */
  readonly as: (typeof AS)[number];
}

const fileOf = (root: string): string => path.join(root, 'effects');

export const addEffect = (root: string, { task, key, attempt, as }: Effect): void =>
  appendFileSync(fileOf(root), `${task} ${key} ${attempt} ${as}\n`);

function parseLine(line: string): Effect {
  const [task, key = '', attempt, word] = line.split(' ');
  const as = AS.find((known) => known === word);
  if (as === undefined) throw new Error(`"${line}" is no effect`);
  return {
    task: Number(task),
    key,
    attempt: Number(attempt),
    as,
  };
}

export function readEffects(root: string): readonly Effect[] {
  if (!existsSync(fileOf(root))) return [];
  return readFileSync(fileOf(root), 'utf8').split('\n').slice(0, -1).map(parseLine);
}

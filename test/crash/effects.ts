import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const AS = ['begun', 'done', 'failed'] as const;

/** What one execution did to the world: a line in a file, appended with one call. */
export interface Effect {
  readonly task: number;
  /** As the journal has it: without its run. */
  readonly key: string;
  readonly attempt: number;
  /** `begun`: before it did anything. `failed`: it threw, or gave back what is no result. */
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

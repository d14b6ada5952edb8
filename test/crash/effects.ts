import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const AS = ['begun', 'done', 'failed'] as const;

/** What one execution did to the world: a line in a file, appended with one call. */
export interface Effect {
  readonly task: number;
  /** Of the visit, or of a look at its evidence, without its run; a repair worker's has `!repair<attempt of the visit>@<worker>` behind it. */
  readonly key: string;
  /** Null for a repair worker's. */
  readonly attempt: number | null;
  /** `begun`: before it did anything. `failed`: it threw, or gave back what is no result. */
  readonly as: (typeof AS)[number];
}

const fileOf = (root: string): string => path.join(root, 'effects');

export const addEffect = (root: string, { task, key, attempt, as }: Effect): void =>
  appendFileSync(fileOf(root), `${task} ${key} ${attempt ?? '-'} ${as}\n`);

function parseLine(line: string): Effect {
  const [task, key = '', attempt, word] = line.split(' ');
  const as = AS.find((known) => known === word);
  if (as === undefined) throw new Error(`"${line}" is no effect`);
  return {
    task: Number(task),
    key,
    attempt: attempt === '-' ? null : Number(attempt),
    as,
  };
}

export function readEffects(root: string): readonly Effect[] {
  if (!existsSync(fileOf(root))) return [];
  return readFileSync(fileOf(root), 'utf8').split('\n').slice(0, -1).map(parseLine);
}

/** The key under which a worker leaves its effects, of the key that the journal has for it. A look at evidence knows its own. */
export const effectKey = (key: string, worker: string): string =>
  key.includes('!repair') ? `${key.replace(/(!repair\d+).*$/, '$1')}@${worker}` : key;

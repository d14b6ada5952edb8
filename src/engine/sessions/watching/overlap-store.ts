import path from 'node:path';
import { readIfThere, replaceCache } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { SessionId } from '#protocol/id.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { FoundClash } from '#protocol/semantic-clash.ts';

/** A comparison of two commits. */
export interface KnownOverlap {
  /** The two sessions, in the order of the compared commits. The second one may be `BASE_SIDE`. */
  readonly sessions: readonly [SessionId, SessionId];
  readonly clashes: readonly (FoundClash & { readonly standing: 'likely' | 'proved' })[];
  /** True once the project's checkers have judged the clashes of this comparison. */
  readonly isChecked: boolean;
}

const VERSION = 1;

/** The maximum number of stored comparisons. Only the newest are kept, since sessions soon have newer commits. */
const MOST_KEPT = 500;

const fileOf = (folder: string): string => path.join(folder, 'overlaps.json');

export const overlapKey = (ours: string, theirs: string): string => `${ours} ${theirs}`;

const isLine = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'file' in value &&
  typeof value.file === 'string' &&
  'line' in value &&
  typeof value.line === 'number' &&
  'text' in value &&
  typeof value.text === 'string';

const WORDS = ['kind', 'name', 'why', 'changer', 'standing'] as const;

/** Returns whether a stored value is a clash. State that came with a repository may contain anything. */
function isClash(value: unknown): value is KnownOverlap['clashes'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return WORDS.every((word) => typeof fields[word] === 'string') && isLine(fields['change']) && isLine(fields['use']);
}

function readEntry(value: unknown): KnownOverlap | null {
  if (typeof value !== 'object' || value === null || !('clashes' in value) || !Array.isArray(value.clashes))
    return null;
  const [one, other] = 'sessions' in value && Array.isArray(value.sessions) ? (value.sessions as unknown[]) : [];
  if (typeof one !== 'string' || typeof other !== 'string') return null;
  return {
    sessions: [one as SessionId, other as SessionId],
    clashes: value.clashes.filter(isClash),
    isChecked: 'isChecked' in value && value.isChecked === true,
  };
}

/**
 * Reads the comparisons of a project, by the pair of commits. If the file can't be read, there are none, since it is
 * only a cache.
 */
export function readOverlaps(calls: FileCalls, folder: string): ReadonlyMap<string, KnownOverlap> {
  try {
    const bytes = readIfThere(calls, fileOf(folder));
    const read = bytes === null ? null : parseJsonObject(Buffer.from(bytes).toString('utf8'));
    if (read?.['version'] !== VERSION || typeof read['pairs'] !== 'object' || read['pairs'] === null) return new Map();
    return new Map(
      Object.entries(read['pairs']).flatMap(([key, value]) => {
        const entry = readEntry(value);
        return entry === null ? [] : [[key, entry] as const];
      }),
    );
  } catch {
    return new Map();
  }
}

/** Writes the newest comparisons. Throws the error of the file system. */
export function writeOverlaps(calls: FileCalls, folder: string, overlaps: ReadonlyMap<string, KnownOverlap>): void {
  const pairs = Object.fromEntries([...overlaps].slice(-MOST_KEPT));
  calls.makeFolder(folder);
  replaceCache(calls, fileOf(folder), Buffer.from(`${JSON.stringify({ version: VERSION, pairs })}\n`));
}

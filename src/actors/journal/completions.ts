import { createHash } from 'node:crypto';
import path from 'node:path';
import { readIfThere, removeIfThere, replaceCache } from '#io/files/durable-file.ts';
import type { RunId } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import { parseJsonObject } from '#protocol/json-object.ts';
import type { CompletionRecord, ProcessEnd } from '#protocol/services.ts';
import { type Place, runFolder } from './stored-run.ts';

/*
 * `.flow/runs/<run>/ended.<hash>.json`: how the process of one execution has ended, until the journal has what came of it
 * (docs/decisions/2026-11-22-command-completion.md).
 *
 * Nothing of it is synced: an engine that is killed leaves it, and a power cut takes no more than there was before.
 */

const fileOf = ({ folder }: Pick<Place, 'folder'>, run: RunId, id: string): string =>
  path.join(runFolder(folder, run), `ended.${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);

function readEnd(bytes: Uint8Array | null, id: string): ProcessEnd | null {
  const found = bytes === null ? null : parseJsonObject(Buffer.from(bytes).toString());
  if (found?.['id'] !== id) return null;
  const { exitCode, output, durationMs, bytes: count } = found;
  if (typeof exitCode !== 'number' || typeof output !== 'string') return null;
  if (typeof durationMs !== 'number' || typeof count !== 'number') return null;
  return { exitCode, output, durationMs, bytes: count };
}

export interface Completions {
  of(key: LocalKey, attempt: number): CompletionRecord;
  /** The journal has what came of it, or will when this resolves; null: now. It is asked only where there is something to forget. */
  forget(key: LocalKey, attempt: number, safe: () => Promise<void> | null): void;
}

/** The ends of processes of one run. Nothing here throws: without a record it is as unknown as it was. */
export function createCompletions({ calls, folder }: Place, run: RunId): Completions {
  const idOf = (key: LocalKey, attempt: number): string => `${key} ${attempt}`;
  /** Ids of executions that have one. */
  const kept = new Set<string>();
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch {
      // A full disk is said by whoever writes what must be kept.
    }
  };
  return {
    of: (key, attempt) => {
      const id = idOf(key, attempt);
      // Made when it is asked for: most executions have no process.
      const file = (): string => fileOf({ folder }, run, id);
      return {
        keep: (end) =>
          quietly(() => {
            kept.add(id);
            replaceCache(calls, file(), Buffer.from(JSON.stringify({ id, ...end })));
          }),
        recall: () => {
          let end: ProcessEnd | null = null;
          quietly(() => void (end = readEnd(readIfThere(calls, file()), id)));
          if (end !== null) kept.add(id);
          return end;
        },
      };
    },
    forget: (key, attempt, safe) => {
      // Mostly there are none, and no id need be made.
      if (kept.size === 0) return;
      const id = idOf(key, attempt);
      if (!kept.delete(id)) return;
      const remove = (): void => quietly(() => removeIfThere(calls, fileOf({ folder }, run, id)));
      const saved = safe();
      if (saved === null) remove();
      else saved.then(remove, () => undefined);
    },
  };
}

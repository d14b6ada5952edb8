import { createHash } from 'node:crypto';
import path from 'node:path';
import { readIfThere, removeIfThere, replaceCache } from '#io/files/durable-file.ts';
import type { RunId } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { CompletionRecord, ProcessEnd } from '#protocol/services.ts';
import { openSealed, seal } from './checksum.ts';
import { type Place, runFolder } from './stored-run.ts';

/*
 * The path of the record that states how the process of one execution ended: `.flow/runs/<run>/ended.<hash>.json`
 * (docs/decisions/2026-11-22-command-completion.md). It is kept until the journal contains the result. The record is
 * not synced: it survives a killed engine, but not necessarily a power loss, after which the end of the process is
 * unknown. A record with a wrong checksum is ignored.
 */

const fileOf = ({ folder }: Pick<Place, 'folder'>, run: RunId, id: string): string =>
  path.join(runFolder(folder, run), `ended.${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);

function readEnd(bytes: Uint8Array | null, id: string): ProcessEnd | null {
  const body = bytes === null ? null : openSealed(bytes);
  const found = body === null ? null : parseJsonObject(body);
  if (found?.['id'] !== id) return null;
  const { exitCode, output, durationMs, bytes: count } = found;
  if (typeof exitCode !== 'number' || typeof output !== 'string') return null;
  if (typeof durationMs !== 'number' || typeof count !== 'number') return null;
  return { exitCode, output, durationMs, bytes: count };
}

interface Completions {
  of(key: LocalKey, attempt: number): CompletionRecord;
  /**
   * Removes the record once `safe` resolves, or at once if it returns null: the journal has the result then. `safe` is
   * called only if there is a record.
   */
  forget(key: LocalKey, attempt: number, safe: () => Promise<void> | null): void;
}

/** Records the ends of the processes of one run. Its methods never throw: without a record the end is unknown. */
export function createCompletions({ calls, folder }: Place, run: RunId): Completions {
  const idOf = (key: LocalKey, attempt: number): string => `${key} ${attempt}`;
  /** Ids of executions with a record. */
  const kept = new Set<string>();
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch {
      // Ignored, since the journal reports a full disk.
    }
  };
  return {
    of: (key, attempt) => {
      const id = idOf(key, attempt);
      // Computed on demand: most executions have no process.
      const file = (): string => fileOf({ folder }, run, id);
      return {
        keep: (end) =>
          quietly(() => {
            kept.add(id);
            replaceCache(calls, file(), seal({ id, ...end }));
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
      // Usually there are no records, and no id has to be computed.
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

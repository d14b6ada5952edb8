import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, statIfThere } from '#io/files/durable-file.ts';
import type { Place } from '#actors/journal/index.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { RunListing } from '#protocol/run-summary.ts';

/**
 * Files that runs leave outside of their own folders: conversations with agents, and files saved when an agent's
 * changes were undone.
 */
export interface Leftover {
  readonly path: string;
  readonly size: number;
}

interface Staying {
  readonly stay: readonly RunListing[];
  /**
   * The time of the prune rules, in milliseconds since the epoch: only older files are removed. Undefined if the rules
   * have none.
   */
  readonly before: number | undefined;
}

const RUN = /^r[0-9a-z]+/;

/** Returns conversations of runs that no longer exist. */
function talks({ calls, folder }: Place, { stay }: Staying): readonly Leftover[] {
  const known = new Set<RunId>(stay.map(({ run }) => run));
  const home = path.join(folder, 'agents');
  return listIfThere(calls, home).flatMap((name) => {
    const file = path.join(home, name);
    const bytes = name.endsWith('.json') ? readIfThere(calls, file) : null;
    const conversation = parseJsonObject(new TextDecoder().decode(bytes ?? new Uint8Array()))?.['conversation'];
    const [run] = (typeof conversation === 'string' ? RUN.exec(conversation) : null) ?? [];
    if (run === undefined || known.has(run as RunId)) return [];
    return [{ path: file, size: bytes?.length ?? 0 }];
  });
}

/** Returns saved files that are older than every remaining run: they do not name their run. */
function putBacks({ calls, folder }: Place, { stay, before = Number.POSITIVE_INFINITY }: Staying): readonly Leftover[] {
  const begun = stay.map((one) => (one.kind === 'run' ? one.summary.started_at : 0));
  const limit = Math.min(before, ...begun);
  const home = path.join(folder, 'put-back');
  return listIfThere(calls, home).flatMap((name) => {
    const found = statIfThere(calls, path.join(home, name));
    return found !== null && found.modifiedAt < limit ? [{ path: path.join(home, name), size: 0 }] : [];
  });
}

export const leftoversOf = (place: Place, staying: Staying): readonly Leftover[] => [
  ...talks(place, staying),
  ...putBacks(place, staying),
];

/** Removes a folder if it is empty. Fails for a link to a folder, whatever that contains. */
function removeEmpty(calls: FileCalls, folder: string): 'gone' | 'full' | 'no_folder' {
  try {
    calls.removeFolder(folder);
    return 'gone';
  } catch (thrown) {
    const isFull =
      thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOTEMPTY' || thrown.code === 'EEXIST');
    return isFull ? 'full' : 'no_folder';
  }
}

/** Removes a leftover. A link itself is removed, never its target, even if that fails. */
export function removeLeftover(calls: FileCalls, file: string): void {
  try {
    return removeIfThere(calls, file);
  } catch (thrown) {
    const is = removeEmpty(calls, file);
    if (is === 'gone') return;
    if (is === 'no_folder') throw thrown;
  }
  for (const name of listIfThere(calls, file)) removeLeftover(calls, path.join(file, name));
  calls.removeFolder(file);
}

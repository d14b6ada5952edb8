import { statIfThere } from '#io/files/durable-file.ts';
import type { Liveness } from '#protocol/process-identity.ts';
import { readClaim } from '#io/engine-lock/claim-folder.ts';
import type { LockParts } from '#io/engine-lock/claim-folder.ts';
import { judge } from '#io/engine-lock/judge.ts';
import type { LockVerdict } from '#io/engine-lock/judge.ts';

/**
 * Moves a file to another name. Uses link and unlink because they fail for a folder: if another process has meanwhile
 * replaced the file by its lock folder, a rename would move that folder away.
 */
function moveAside({ calls, newId }: LockParts, file: string): void {
  try {
    calls.link(file, `${file}.older-${newId()}`);
    calls.remove(file);
  } catch (thrown) {
    if (statIfThere(calls, file)?.isFolder === false) throw thrown;
  }
}

/**
 * Creates the lock's folder. A file of that name, from an older layout or from the user, counts as a lock while its
 * process is alive.
 */
export function makePlace(parts: LockParts & { readonly liveness: Liveness }, place: string): LockVerdict {
  const { calls, liveness } = parts;
  const there = statIfThere(calls, place);
  if (there?.isFolder === true) return { free: true, tookOver: null };
  const verdict = there === null ? judge({ kind: 'none' }, liveness) : judge(readClaim(parts, place), liveness);
  if (!verdict.free) return verdict;
  if (there !== null) moveAside(parts, place);
  calls.makeFolder(place);
  return verdict;
}

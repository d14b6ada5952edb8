import { statIfThere } from '#io/files/durable-file.ts';
import type { Liveness } from '#protocol/process-identity.ts';
import { readClaim } from '#io/engine-lock/claim-folder.ts';
import type { LockParts } from '#io/engine-lock/claim-folder.ts';
import { judge } from '#io/engine-lock/judge.ts';
import type { Verdict } from '#io/engine-lock/judge.ts';

/**
 * Moves a file aside. Another process may have put the folder there meanwhile and own it; the two calls used here
 * refuse a folder, which a rename would remove.
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
 * Creates the lock's folder. A file in its place, of an older layout or a user's own, is respected while its process
 * lives.
 */
export function makePlace(parts: LockParts & { readonly liveness: Liveness }, place: string): Verdict {
  const { calls, liveness } = parts;
  const there = statIfThere(calls, place);
  if (there?.isFolder === true) return { free: true, tookOver: null };
  const verdict = there === null ? judge({ kind: 'none' }, liveness) : judge(readClaim(parts, place), liveness);
  if (!verdict.free) return verdict;
  if (there !== null) moveAside(parts, place);
  calls.makeFolder(place);
  return verdict;
}

import { lstat, rm } from 'node:fs/promises';
import { RoboSmithError } from '#protocol/error.ts';
import { renameWithRetries } from './retry-rename.ts';
import { fingerprintOf, isSame, type StagedFile } from './stage-file.ts';

/**
 * Undoes one move. A file that another process has saved since the move is left unchanged, even if it still has the
 * same inode.
 */
async function undo({ file, kept, print }: StagedFile): Promise<'undone' | 'left'> {
  const isThere = (await lstat(file).catch(() => null)) !== null;
  if (isThere && !isSame(await fingerprintOf(file), print)) return 'left';
  await (kept === null ? rm(file, { force: true }) : renameWithRetries(kept, file));
  return 'undone';
}

function failed(lost: readonly StagedFile[], left: readonly StagedFile[], cause: unknown): RoboSmithError {
  const lostNames = lost.map(({ input, kept }) => `"${input}"${kept === null ? '' : ` (old content: ${kept})`}`);
  const saved = left.map(({ input }) => `"${input}"`);
  const why = [
    ...(lostNames.length === 0 ? [] : [`these files could not be restored: ${lostNames.join(', ')}`]),
    ...(saved.length === 0
      ? []
      : [
          `another program has saved these files in the meantime, so they were not restored: ${saved.join(', ')}; the other files are restored`,
        ]),
  ].join('; ');
  // The error is `content_changed` if a changed file caused the failure and each file that was not restored had been
  // saved by another process. Otherwise it is `io`.
  const isChange = lost.length === 0 && RoboSmithError.is(cause, 'content_changed');
  const message = `writing failed before all files were written, and ${why}`;
  return isChange
    ? new RoboSmithError('content_changed', message, { path: left[0]?.input ?? '' }, cause)
    : new RoboSmithError('io', message, {}, cause);
}

/** Undoes moves, the last one first. `error` names the files that were not restored; it is null if all were. */
export async function undoMoves(
  moved: readonly StagedFile[],
  cause: unknown,
): Promise<{
  readonly error: RoboSmithError | null;
  /** The files that hold the old contents which could not be restored; they must not be removed. */
  readonly kept: readonly string[];
}> {
  const lost: StagedFile[] = [];
  const left: StagedFile[] = [];
  for (const move of moved.toReversed())
    await undo(move).then(
      (how) => how === 'left' && left.push(move),
      () => lost.push(move),
    );
  return {
    error: lost.length + left.length === 0 ? null : failed(lost, left, cause),
    kept: lost.flatMap(({ kept }) => (kept === null ? [] : [kept])),
  };
}

import path from 'node:path';
import { readIfThere, removeIfThere, replaceFile, statIfThere } from '#io/files/durable-file.ts';
import { renderTree } from '#logic/plan/render-status.ts';
import type { TaskTree } from '#protocol/task-tree.ts';
import type { ReadTree } from './read-tree.ts';
import { hashOf, type TaskPlace } from './task-place.ts';

export interface Write {
  readonly file: string;
  readonly bytes: Uint8Array;
}

type Files = Pick<ReadTree, 'files'>;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Returns the text with the line endings that the file has: those of its first line. */
function bytesOf(text: string, old: Uint8Array | undefined): Buffer {
  const hasReturns = old?.[old.indexOf(LINE_FEED) - 1] === CARRIAGE_RETURN;
  return Buffer.from(hasReturns ? text.replaceAll('\n', '\r\n') : text);
}

/**
 * Returns the files to write, the deepest first, so that a referenced file is complete before the file that references
 * it is written.
 */
export const writesOf = ({ files }: Files, tree: TaskTree): readonly Write[] =>
  Array.from(renderTree(tree), ([file, text]) => ({ file, bytes: bytesOf(text, files.get(file)?.bytes) }))
    .filter(({ file, bytes }) => hashOf(bytes) !== files.get(file)?.hash)
    .toReversed();

/** Returns whether a file still has this hash; undefined means that no file is expected. */
const isStill = ({ calls }: TaskPlace, at: string, hash: string | undefined): boolean => {
  const bytes = readIfThere(calls, at);
  return (bytes === null ? undefined : hashOf(bytes)) === hash;
};

/** Replaces a file if its content is unchanged. The file is not locked, so an editor can save it at any time. */
export async function replaceIf(place: TaskPlace, { file, bytes }: Write, hash: string | undefined): Promise<boolean> {
  const at = await place.locate(file);
  place.calls.makeFolder(path.dirname(at));
  const mode = statIfThere(place.calls, at)?.mode;
  return replaceFile(place.calls, at, bytes, place.newId(), () => isStill(place, at, hash), mode);
}

/** Rolls back writes, except for files that another program has changed since. */
async function rollBack(place: TaskPlace, { files }: Files, written: readonly Write[]): Promise<void> {
  for (const { file, bytes } of written.toReversed()) {
    const old = files.get(file)?.bytes;
    const at = await place.locate(file);
    if (old !== undefined) await replaceIf(place, { file, bytes: old }, hashOf(bytes));
    else if (isStill(place, at, hashOf(bytes))) removeIfThere(place.calls, at);
  }
}

/**
 * Writes all files or none; false if a file differs from its loaded content. Each file is checked right before it is
 * replaced.
 */
export async function writeFiles(place: TaskPlace, loaded: Files, writes: readonly Write[]): Promise<boolean> {
  for (const [index, one] of writes.entries())
    if (!(await replaceIf(place, one, loaded.files.get(one.file)?.hash))) {
      await rollBack(place, loaded, writes.slice(0, index));
      return false;
    }
  return true;
}

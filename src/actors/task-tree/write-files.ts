import path from 'node:path';
import { readIfThere, removeIfThere, replaceFile, statIfThere } from '#io/files/durable-file.ts';
import { renderTree } from '#machines/task-tree/render-status.ts';
import type { TaskTree } from '#protocol/task-tree.ts';
import type { ReadTree } from './read-tree.ts';
import { hashOf, type TaskPlace } from './task-place.ts';

export interface Write {
  readonly file: string;
  readonly bytes: Uint8Array;
}

type Files = Pick<ReadTree, 'files'>;

/** The deepest file first: what a task refers to is there before it does, and finished before it is. */
export const writesOf = ({ files }: Files, tree: TaskTree): readonly Write[] =>
  Array.from(renderTree(tree), ([file, text]) => ({ file, bytes: Buffer.from(text) }))
    .filter(({ file, bytes }) => hashOf(bytes) !== files.get(file)?.hash)
    .toReversed();

/** `hash` is undefined where no file is expected. */
const isStill = ({ calls }: TaskPlace, at: string, hash: string | undefined): boolean => {
  const bytes = readIfThere(calls, at);
  return (bytes === null ? undefined : hashOf(bytes)) === hash;
};

/** Replaces a file if it is still that one: nobody keeps a person's editor from saving. */
export async function replaceIf(place: TaskPlace, { file, bytes }: Write, hash: string | undefined): Promise<boolean> {
  const at = await place.locate(file);
  place.calls.makeFolder(path.dirname(at));
  const mode = statIfThere(place.calls, at)?.mode;
  return replaceFile(place.calls, at, bytes, place.newId(), () => isStill(place, at, hash), mode);
}

/** Puts back what was loaded, where it is not somebody else's by now. */
async function takeBack(place: TaskPlace, { files }: Files, written: readonly Write[]): Promise<void> {
  for (const { file, bytes } of written.toReversed()) {
    const old = files.get(file)?.bytes;
    const at = await place.locate(file);
    if (old !== undefined) await replaceIf(place, { file, bytes: old }, hashOf(bytes));
    else if (isStill(place, at, hashOf(bytes))) removeIfThere(place.calls, at);
  }
}

/** All of them, or none: false when a file is not what was loaded any more. Each is looked at right before its rename. */
export async function writeFiles(place: TaskPlace, loaded: Files, writes: readonly Write[]): Promise<boolean> {
  for (const [index, one] of writes.entries())
    if (!(await replaceIf(place, one, loaded.files.get(one.file)?.hash))) {
      await takeBack(place, loaded, writes.slice(0, index));
      return false;
    }
  return true;
}

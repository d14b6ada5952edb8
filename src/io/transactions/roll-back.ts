import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { renameWithRetries } from './retry-rename.ts';
import { checkRelativePath } from '../files/path-rules.ts';
import { isSame, fingerprintOf } from './stage-file.ts';
import { safePath } from '../files/safe-path.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { checkMayBeWritten } from '../files/writable-path.ts';
import { forgetRecord, type Phase, readRecord, type RecordedMove } from './undo-log.ts';

/**
 * Returns the absolute path of a recorded file, or null if the path now leads through a link or must not be written.
 */
async function placeOf(root: string, recorded: string): Promise<string | null> {
  try {
    const file = path.join(root, ...checkRelativePath(recorded));
    if ((await safePath(root, recorded)) !== file) return null;
    await checkMayBeWritten(root, recorded, file);
    return file;
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return null;
    throw thrown;
  }
}

/**
 * Restores the old content of a file, unless the file has changed since it was replaced. Returns whether the content
 * was restored.
 */
async function moveBack(file: string, { from, kept, print }: RecordedMove): Promise<boolean> {
  const beside = (name: string): string => path.join(path.dirname(file), name);
  if ((await fingerprintOf(beside(from))) !== null || !isSame(await fingerprintOf(file), print)) return false;
  if (kept === null) await rm(file, { force: true });
  else if ((await fingerprintOf(beside(kept))) === null) return false;
  else await renameWithRetries(beside(kept), file);
  await syncFolder(path.dirname(file));
  return true;
}

async function cleanUp(root: string, phase: Phase, folder: string): Promise<boolean> {
  const record = await readRecord(folder, phase);
  if (record === null) return false;
  let changed = false;
  for (const move of record.moves.toReversed()) {
    const file = await placeOf(root, move.path);
    if (file === null) continue;
    if (phase === 'moving') changed = (await moveBack(file, move)) || changed;
    for (const name of [move.from, move.kept])
      if (name !== null) await rm(path.join(path.dirname(file), name), { force: true });
  }
  for (const made of record.folders.toReversed()) {
    const place = await placeOf(root, made);
    // A folder that is not empty is in use.
    if (place !== null) await rmdir(place).catch(() => undefined);
  }
  return changed;
}

const LEFT = /^[0-9a-f-]{36}\.tmp$/;

/**
 * Rolls back the transaction of a process that was killed while it wrote: restores its files and removes its temporary
 * files. Only the owner of the write lock may call this. Returns whether a file was changed.
 */
export async function rollBack(root: string, folder: string): Promise<boolean> {
  let changed = false;
  for (const phase of ['done', 'moving', 'plan'] as const) changed = (await cleanUp(root, phase, folder)) || changed;
  await forgetRecord(folder);
  for (const name of await readdir(folder))
    if (LEFT.test(name) || /^lock\./.test(name)) await rm(path.join(folder, name), { force: true });
  return changed;
}

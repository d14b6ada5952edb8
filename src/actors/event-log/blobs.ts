import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, replaceFile } from '#io/files/durable-file.ts';
import type { BlobReference } from '#protocol/event-line.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { artifactsFolder, eventFiles } from './event-files.ts';
import { linesWith } from './lines-with.ts';
import { blobOf, readLine } from './read-line.ts';
import { unlessItThrows } from './unless-it-throws.ts';

const ID_BYTES = 16;
/** In the name of what goes with its run. What is preserved has it not, as all that earlier versions wrote: it stays when no log names it. */
const OF_RUN = '_run';
const GOES = new RegExp(`^blob_[\\w-]+${OF_RUN}[.]json$`);

export interface BlobParts {
  readonly calls: FileCalls;
  /** `.flow` */
  readonly folder: string;
  readonly newId: (bytes: number) => string;
}

/** Whole or not at all. It throws what the disk says. */
export function writeBlob({ calls, folder, newId }: BlobParts, text: string, preserve: boolean): BlobReference {
  const id = newId(ID_BYTES);
  const ref = `blob_${id}${preserve ? '' : OF_RUN}.json`;
  const bytes = Buffer.from(text);
  calls.makeFolder(artifactsFolder(folder));
  // An event is told, not kept: it may be lost when the power fails, and is not worth a wait for the disk.
  const unsynced: FileCalls = { ...calls, sync: () => undefined, syncFolder: () => undefined };
  replaceFile(unsynced, path.join(artifactsFolder(folder), ref), bytes, id);
  return { type: 'blob_ref', ref, bytes: bytes.length, preserve };
}

/** One that is gone already, or can't be removed, is no trouble. */
export function removeBlobs(calls: FileCalls, folder: string, refs: Iterable<string>): void {
  for (const ref of refs) unlessItThrows(() => removeIfThere(calls, path.join(artifactsFolder(folder), ref)));
}

/** The blobs that a file of the log names, of one run or of all, but for those to preserve. */
export function blobsNamedIn(calls: FileCalls, file: string, run: RunId | null): readonly string[] {
  const bytes = unlessItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
  const refs: string[] = [];
  for (const line of linesWith(bytes, '"type":"blob_ref"')) {
    const event = readLine(line);
    const blob = event === null ? null : blobOf(event);
    if (blob !== null && !blob.preserve && (run === null || event?.run_id === run)) refs.push(blob.ref);
  }
  return refs;
}

/** The blobs of a run that the log names, whoever wrote them. */
export const blobsNamedBy = (calls: FileCalls, folder: string, run: RunId): readonly string[] =>
  (unlessItThrows(() => eventFiles(calls, folder)) ?? []).flatMap((file) => blobsNamedIn(calls, file, run));

const NAMED = /"ref":"(blob_[\w-]+[.]json)"/g;

/**
 * For the owner of the engine, before anything is under way: a blob is written before its line, and whoever was killed in between left
 * one that no run's end and no rotation would ever find. It throws what the disk says: what can't be read may name any.
 */
export function removeUnnamedBlobs(calls: FileCalls, folder: string): void {
  const left = new Set(listIfThere(calls, artifactsFolder(folder)).filter((name) => GOES.test(name)));
  if (left.size === 0) return;
  for (const file of eventFiles(calls, folder))
    for (const line of linesWith(readIfThere(calls, file) ?? new Uint8Array(), '"type":"blob_ref"'))
      for (const [, name = ''] of line.matchAll(NAMED)) left.delete(name);
  removeBlobs(calls, folder, left);
}

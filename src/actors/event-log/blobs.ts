import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, replaceFile } from '#io/files/durable-file.ts';
import type { BlobReference } from '#protocol/event-line.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { artifactsFolder, eventFiles, linesWith } from './event-files.ts';
import { blobOf, readLine, runMark } from './read-line.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

const ID_BYTES = 16;

/**
 * The suffix in the names of blobs that are removed with their run. Preserved blobs, and all blobs of earlier versions,
 * lack it and stay until no log names them.
 */
const OF_RUN = '_run';

const GOES = new RegExp(`^blob_[\\w-]+${OF_RUN}[.]json$`);

interface BlobParts {
  readonly calls: FileCalls;
  /** The `.flow` folder. */
  readonly folder: string;
  readonly newId: (bytes: number) => string;
}

/** Writes a blob atomically. Throws the system's error. */
export function writeBlob({ calls, folder, newId }: BlobParts, text: string, preserve: boolean): BlobReference {
  const id = newId(ID_BYTES);
  const ref = `blob_${id}${preserve ? '' : OF_RUN}.json`;
  const bytes = Buffer.from(text);
  calls.makeFolder(artifactsFolder(folder));
  // Writes are not synced: events may be lost in a power failure, and a sync would delay the run.
  const unsynced: FileCalls = { ...calls, sync: () => undefined, syncFolder: () => undefined };
  replaceFile(unsynced, path.join(artifactsFolder(folder), ref), bytes, id);
  return { type: 'blob_ref', ref, bytes: bytes.length, preserve };
}

/** Removes blobs. Ignores those that are missing or can't be removed. */
export function removeBlobs(calls: FileCalls, folder: string, refs: Iterable<string>): void {
  for (const ref of refs) nullIfItThrows(() => removeIfThere(calls, path.join(artifactsFolder(folder), ref)));
}

/** Returns the blobs that a log file refers to, except those to preserve. A `run` of null means all runs. */
export function blobsNamedIn(calls: FileCalls, file: string, run: RunId | null): readonly string[] {
  const bytes = nullIfItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
  const refs: string[] = [];
  for (const line of linesWith(bytes, '"type":"blob_ref"')) {
    const event = readLine(line);
    const blob = event === null ? null : blobOf(event);
    if (blob !== null && !blob.preserve && (run === null || event?.run_id === run)) refs.push(blob.ref);
  }
  return refs;
}

/** Returns the blobs of a run that the log refers to, also those written by other processes. */
export const blobsNamedBy = (calls: FileCalls, folder: string, run: RunId): readonly string[] =>
  (nullIfItThrows(() => eventFiles(calls, folder)) ?? []).flatMap((file) => blobsNamedIn(calls, file, run));

const NAMED = /"ref":"(blob_[\w-]+[.]json)"/g;

/**
 * Removes blobs that no log refers to. A blob is written before the line that refers to it, so a killed process may
 * leave a blob without a line, which is removed neither at the end of its run nor by a rotation. Only for the owner of
 * the engine, before anything executes. Throws the system's error, because a log that can't be read may refer to any
 * blob.
 */
export function removeUnnamedBlobs(calls: FileCalls, folder: string): void {
  const left = new Set(listIfThere(calls, artifactsFolder(folder)).filter((name) => GOES.test(name)));
  if (left.size === 0) return;
  for (const file of eventFiles(calls, folder))
    for (const line of linesWith(readIfThere(calls, file) ?? new Uint8Array(), '"type":"blob_ref"'))
      for (const [, name = ''] of line.matchAll(NAMED)) left.delete(name);
  removeBlobs(calls, folder, left);
}

/**
 * Returns the number of a run's newest readable event, or 0. Reads the log backwards, file by file, until it finds an
 * event of the run.
 */
export function lastSequence(calls: FileCalls, folder: string, run: RunId): number {
  const files = nullIfItThrows(() => eventFiles(calls, folder)) ?? [];
  for (const file of [...files].reverse()) {
    const bytes = nullIfItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
    for (const line of linesWith(bytes, runMark(run))) {
      const event = readLine(line);
      if (event?.run_id === run) return event.seq;
    }
  }
  return 0;
}

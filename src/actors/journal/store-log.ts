import { createHash } from 'node:crypto';
import path from 'node:path';
import { removeIfThere, statIfThere, writeFully } from '#io/files/durable-file.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { KeptLog, Log, Logs } from '#protocol/services.ts';
import { blobFile, type BlobParts } from './blobs.ts';

/** The maximum number of bytes stored of one log; further ones are counted. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Up to this size, writing on this thread is faster than on another. */
const SMALL_BYTES = 1024 * 1024;

/** A log up to this size isn't stored if the result contains all of it. This saves two of three syncs per step. */
const INLINE_BYTES = 8_192;

/**
 * Holds the content of a log in memory, and from `INLINE_BYTES` on in a file with a temporary name that
 * `sweepLeftovers` recognises. Once complete and safe, the file is renamed to its hash.
 */
function createLogContent({ calls, folder, newId }: BlobParts) {
  const temporary = blobFile(folder, `log.${newId(6)}.tmp`);
  const hash = createHash('sha256');
  let descriptor: number | null = null;
  let isFile = false;
  let bytes = 0;
  /** The parts that are not written yet; empty once there is a file. */
  let small: Uint8Array[] = [];

  const close = (): void => {
    if (descriptor !== null) calls.close(descriptor);
    descriptor = null;
  };
  const opened = (): number => {
    if (descriptor !== null) return descriptor;
    calls.makeFolder(path.dirname(temporary));
    isFile = true;
    descriptor = calls.open(temporary, 'wx');
    return descriptor;
  };
  const write = (part: Uint8Array): void => {
    writeFully(calls, opened(), part);
    hash.update(part);
  };
  const writeSmall = (): void => {
    const parts = Buffer.concat(small);
    small = [];
    write(parts);
  };
  return {
    bytes: (): number => bytes,
    add: (part: Uint8Array): void => {
      bytes += part.length;
      if (descriptor !== null) return write(part);
      // The caller may reuse its buffer.
      small.push(Uint8Array.from(part));
      if (bytes > INLINE_BYTES) writeSmall();
    },
    discard: (): void => {
      small = [];
      bytes = 0;
      if (!isFile) return;
      try {
        close();
      } finally {
        removeIfThere(calls, temporary);
      }
    },
    /** Returns whether the content is not in a file, and equal to this text. */
    isShownBy: (shown: string | undefined): boolean =>
      descriptor === null && shown !== undefined && Buffer.concat(small).equals(Buffer.from(shown)),
    /** Stores the content durably; null if there is none. */
    store: async (): Promise<{ readonly blob: string; readonly bytes: number } | null> => {
      if (descriptor === null) writeSmall();
      if (descriptor === null) return null;
      if (bytes <= SMALL_BYTES) calls.datasync(descriptor);
      else await calls.datasyncAside(descriptor);
      close();
      const blob = hash.digest('hex');
      const file = blobFile(folder, blob);
      if (statIfThere(calls, file)?.size === bytes) removeIfThere(calls, temporary);
      else calls.rename(temporary, file);
      calls.syncFolder(path.dirname(file));
      return { blob, bytes };
    },
  };
}

/** Opens a log of at most this number of bytes. */
function openLog(parts: BlobParts, mostBytes: number): Log {
  const content = createLogContent(parts);
  let leftOut = 0;
  let problem: string | null = null;

  /** Gives up storing the log, which must not fail the execution. */
  const giveUp = (thrown: unknown): void => {
    problem = `the complete output can't be stored: ${messageOf(thrown)}`;
    quietly(content.discard);
  };
  const keep = async (shown: string | undefined): Promise<KeptLog | null> => {
    if (content.bytes() === 0 || (leftOut === 0 && content.isShownBy(shown))) return null;
    const stored = await content.store();
    return stored === null ? null : { ...stored, left_out: leftOut };
  };

  return {
    add: (part) => {
      const room = problem === null ? Math.min(part.length, mostBytes - content.bytes()) : 0;
      leftOut += part.length - room;
      if (room === 0) return;
      try {
        content.add(part.subarray(0, room));
      } catch (thrown) {
        giveUp(thrown);
      }
    },
    keep: async (shown) => {
      try {
        if (problem === null) return await keep(shown);
      } catch (thrown) {
        giveUp(thrown);
      }
      return { problem: problem ?? '' };
    },
    discard: () => quietly(content.discard),
  };
}

/** Ignores errors: a temporary file that stays is removed when an engine starts. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The error that led to this clean-up was already reported.
  }
}

/** Stores whole logs as blobs, up to a limit, without holding them in memory. */
export const createLogs = (parts: BlobParts, mostBytes = MOST_BYTES): Logs => ({
  open: () => openLog(parts, mostBytes),
});

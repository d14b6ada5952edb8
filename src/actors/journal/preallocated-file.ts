import { writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/**
 * The lower and upper bound of the preallocated space, in bytes. Between them, the space is as large as the content.
 */
const LEAST_ROOM = 16 * 1024;
const MOST_ROOM = 1024 * 1024;

const roomAfter = (size: number): number => Math.min(Math.max(size, LEAST_ROOM), MOST_ROOM);

/**
 * A file written sequentially into preallocated zeros. A sync that doesn't change the file's length takes about half
 * the time, since the file system has no metadata to write (docs/decisions/2026-11-21-durability.md). Readers ignore
 * the zeros.
 */
export interface PreallocatedFile {
  /** Writes all bytes or throws; a partial write is cut off before the next one. */
  write(bytes: Uint8Array): void;
  /** Writes like `write`, and preallocates space if the file grows. */
  writeAndMakeRoom(bytes: Uint8Array): void;
  /** Removes the preallocated space at the end. */
  trim(): void;
  /** Empties the file. */
  empty(): void;
}

export function createPreallocatedFile(calls: FileCalls, descriptor: number, size: number): PreallocatedFile {
  let end = size;
  let length = size;
  let torn = false;

  const cut = (to: number): void => {
    if (length > to) calls.truncate(descriptor, to);
    end = to;
    length = to;
    torn = false;
  };

  const put = (bytes: Uint8Array): void => {
    if (torn) cut(end);
    torn = true;
    length = Math.max(length, end + bytes.length);
    writeFully(calls, descriptor, bytes, end);
    torn = false;
  };

  const write = (bytes: Uint8Array): void => {
    put(bytes);
    end += bytes.length;
  };

  return {
    write,
    writeAndMakeRoom: (bytes) => {
      if (end + bytes.length <= length) return write(bytes);
      try {
        put(Buffer.concat([bytes], bytes.length + roomAfter(end + bytes.length)));
      } catch {
        // Writes without preallocation, because the disk may still have space for the line itself.
        put(bytes);
      }
      end += bytes.length;
    },
    trim: () => cut(end),
    empty: () => cut(0),
  };
}

/** Returns the content of a preallocated file without the zero bytes at its end. */
export function withoutPreallocation(content: Uint8Array): Buffer {
  let end = content.length;
  while (content[end - 1] === 0) end -= 1;
  return Buffer.from(content.buffer, content.byteOffset, end);
}

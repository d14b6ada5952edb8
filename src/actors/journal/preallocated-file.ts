import { writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** Room is made for as much as there is, within these bounds: a file that has grown goes on to grow. */
const LEAST_ROOM = 16 * 1024;
const MOST_ROOM = 1024 * 1024;

const roomAfter = (size: number): number => Math.min(Math.max(size, LEAST_ROOM), MOST_ROOM);

/**
 * A file that is written from front to back, into room that was made before: zeros. A sync after which no file is longer takes about half
 * the time, since the file system has nothing to say of it (docs/decisions/2026-11-21-durability.md, 14). Readers leave the zeros out.
 */
export interface RoomyFile {
  /** All of it, or it throws; what is left of it then is cut off before the next. */
  write(bytes: Uint8Array): void;
  /** As `write`, and where it makes the file longer, some room for what follows. */
  writeAndMakeRoom(bytes: Uint8Array): void;
  /** Without room at its end. */
  trim(): void;
  /** Empty, whatever was in it. */
  empty(): void;
}

export function createRoomyFile(calls: FileCalls, descriptor: number, size: number): RoomyFile {
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
        // There may be room for the line itself.
        put(bytes);
      }
      end += bytes.length;
    },
    trim: () => cut(end),
    empty: () => cut(0),
  };
}

/** What was written, of a file that may still have room. */
export function withoutRoom(content: Uint8Array): Buffer {
  let end = content.length;
  while (content[end - 1] === 0) end -= 1;
  return Buffer.from(content.buffer, content.byteOffset, end);
}

import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCodeOf } from '#protocol/system-error.ts';

export type SmallFile = { readonly text: string } | { readonly missing: true } | { readonly why: string };

type SmallBytes = { readonly bytes: Buffer } | Exclude<SmallFile, { readonly text: string }>;

const NO_WAITING = constants.O_NONBLOCK ?? 0;

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to read it (EACCES)',
  EPERM: 'you have no permission to read it (EPERM)',
  ELOOP: 'its symbolic links form a loop (ELOOP)',
  // The error code of opening a socket.
  ENXIO: 'it is not a regular file',
};

/** Reads a file of at most `limit` bytes. It never blocks on a pipe and never throws. */
async function readBytes(file: string, limit: number): Promise<SmallBytes> {
  try {
    await using handle = await open(file, constants.O_RDONLY | NO_WAITING);
    const found = await handle.stat();
    if (!found.isFile()) return { why: found.isDirectory() ? 'it is a folder' : 'it is not a regular file' };
    if (found.size > limit) return { why: `it has ${found.size} bytes, more than the limit of ${limit}` };
    // Files in /proc report a size of 0, so the size is checked again after reading.
    const bytes = await handle.readFile();
    return bytes.length > limit ? { why: `it has more than ${limit} bytes, which is the limit` } : { bytes };
  } catch (thrown) {
    const code = systemCodeOf(thrown) ?? String(thrown);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { missing: true } : { why: WHY[code] ?? code };
  }
}

/** Reads a UTF-8 file of at most `limit` bytes. It never blocks on a pipe and never throws. */
export async function readSmallFile(file: string, limit: number): Promise<SmallFile> {
  const read = await readBytes(file, limit);
  if (!('bytes' in read)) return read;
  return isUtf8(read.bytes) ? { text: read.bytes.toString('utf8') } : { why: 'it is not UTF-8' };
}

/**
 * Reads a text file of at most `limit` bytes in any encoding: bytes that are not UTF-8 become U+FFFD. It never throws.
 */
export async function readSmallTextOf(file: string, limit: number): Promise<SmallFile> {
  const read = await readBytes(file, limit);
  return 'bytes' in read ? { text: read.bytes.toString('utf8') } : read;
}

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

export type SmallFile = { readonly text: string } | { readonly missing: true } | { readonly why: string };

const NO_WAITING = constants.O_NONBLOCK ?? 0;

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : String(thrown);

/** The text of a file of at most so many bytes. Never waits for a pipe, never throws. */
export async function readSmallFile(file: string, limit: number): Promise<SmallFile> {
  try {
    await using handle = await open(file, constants.O_RDONLY | NO_WAITING);
    const found = await handle.stat();
    if (!found.isFile()) return { why: found.isDirectory() ? 'it is a folder' : 'it is no ordinary file' };
    if (found.size > limit) return { why: `it has ${found.size} bytes, more than the limit of ${limit}` };
    return { text: await handle.readFile('utf8') };
  } catch (thrown) {
    const code = codeOf(thrown);
    return code === 'ENOENT' || code === 'ENOTDIR' ? { missing: true } : { why: code };
  }
}

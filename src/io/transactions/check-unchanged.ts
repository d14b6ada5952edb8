import { createHash } from 'node:crypto';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileBytes } from '#protocol/services.ts';
import { openInside } from '../files/open-inside.ts';
import type { Target } from './write-target.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

/** Reads a file of at most `limit` bytes. `target` is the result of `safePath` for `input`. */
export async function readBytes(input: string, target: string, limit: number): Promise<FileBytes> {
  try {
    await using handle = await openInside(input, target, 'read');
    const { size } = await handle.stat();
    if (size > limit) return { kind: 'too_large', size };
    const bytes = await handle.readFile();
    return { kind: 'there', bytes, hash: hashOf(bytes) };
  } catch (thrown) {
    if (isMissing(thrown)) return { kind: 'missing' };
    throw thrown;
  }
}

/**
 * Throws `content_changed` if the file's hash differs from the expected one. Null means that no file may exist;
 * undefined means that any content is accepted.
 */
export async function checkUnchanged(
  { input, file }: Pick<Target, 'input' | 'file'>,
  expected: string | null | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const found = await readBytes(input, file, Infinity);
  if ((found.kind === 'there' ? found.hash : null) !== expected) throw contentChanged(input);
}

export const contentChanged = (input: string): RoboSmithError =>
  new RoboSmithError('content_changed', `"${input}" has changed since it was read; nothing was written`, {
    path: input,
  });

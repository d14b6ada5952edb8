import { randomBytes } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { replaceFile } from '../files/durable-file.ts';
import { fileCalls } from '../files/file-calls.ts';

/** Replaces a manifest file atomically. A link stays, and its target is replaced; permissions stay as they are. */
export async function writeManifest(file: string, text: string): Promise<void> {
  const real = await realpath(file);
  const { mode } = await stat(real);
  const unique = randomBytes(6).toString('hex');
  replaceFile(fileCalls, real, Buffer.from(text), unique, undefined, mode & 0o777);
}

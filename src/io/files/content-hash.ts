import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** SHA-256 in hexadecimal; of a file that can't be read: of nothing. */
export async function contentHash(file: string): Promise<string> {
  const content = await readFile(file).catch(() => '');
  return createHash('sha256').update(content).digest('hex');
}

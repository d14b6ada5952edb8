import { createHmac } from 'node:crypto';
import path from 'node:path';
import { createFile, readIfThere } from '../files/durable-file.ts';
import type { KeyBookPlace } from './key-book.ts';

const encoder = new TextEncoder();

/**
 * Creates a function that returns a fingerprint of a secret, by which a project notices that a key was replaced. It
 * reveals nothing about the secret, because it is salted with a random number from the user's own folder and too short
 * to be reversed. The function returns null if the salt can't be stored.
 */
export function keyFingerprinter({ calls, folder }: KeyBookPlace, newId: (bytes: number) => string) {
  const file = path.join(folder, 'key-salt');
  const saltOf = (): Uint8Array | null => {
    try {
      const known = readIfThere(calls, file);
      if (known !== null) return known;
      calls.makeFolder(folder);
      createFile(calls, file, encoder.encode(newId(32)), newId(6));
      return readIfThere(calls, file);
    } catch {
      return null;
    }
  };
  let salt: Uint8Array | null | undefined;
  return (secret: string): string | null => {
    salt ??= saltOf();
    return salt === null ? null : createHmac('sha256', salt).update(secret).digest('hex').slice(0, 8);
  };
}

import { createHash, randomBytes } from 'node:crypto';

/** Random hexadecimal digits, two for each byte. */
export const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const random = (): number => Math.random();

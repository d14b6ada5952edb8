import { randomBytes } from 'node:crypto';

/** Random hexadecimal digits, two for each byte. */
export const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

export const random = (): number => Math.random();

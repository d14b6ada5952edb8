import { randomBytes } from 'node:crypto';

/** Returns random hexadecimal digits, two per byte. */
export const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

export const random = (): number => Math.random();

import { realpath } from 'node:fs/promises';

/** Resolves the symbolic links of a path; returns the path unchanged if it doesn't exist. */
export const realPath = (file: string): Promise<string> => realpath(file).catch(() => file);

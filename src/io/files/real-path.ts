import { realpath } from 'node:fs/promises';

/** Without links, as far as it is there. */
export const realPath = (file: string): Promise<string> => realpath(file).catch(() => file);

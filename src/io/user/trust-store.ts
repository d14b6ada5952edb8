import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createSerialiser } from '../files/serialise.ts';
import { writeConfigFile } from './config-file.ts';
import { configFolder } from './config-folder.ts';

interface Trusted {
  readonly root: string;
  readonly since: string;
}

/**
 * The environment that determines the store's folder. The store is never inside a project, because a hostile project
 * could ship its own.
 */
type Environment = Readonly<Record<string, string | undefined>>;

const storeFile = (environment: Environment): string => path.join(configFolder(environment), 'trust.json');

/**
 * Returns whether the user has trusted this hash before. The hash covers the programs that would be executed, and the
 * folder.
 */
export const isTrusted = async (hash: string, environment: Environment): Promise<boolean> =>
  (await read(environment)).has(hash);

/** Runs writes one at a time, so that each keeps the entries of the one before. */
const serialise = createSerialiser();

export const rememberTrust = (hash: string, root: string, environment: Environment): Promise<void> =>
  serialise(async () => {
    const trusted = new Map([...(await read(environment)), [hash, { root, since: new Date().toISOString() }]]);
    await writeConfigFile(storeFile(environment), { trusted: Object.fromEntries(trusted) });
  });

/** Reads the store. If the file can't be read, nothing is trusted. */
async function read(environment: Environment): Promise<ReadonlyMap<string, Trusted>> {
  try {
    const value: unknown = JSON.parse(await readFile(storeFile(environment), 'utf8'));
    const trusted = typeof value === 'object' && value !== null && 'trusted' in value ? value.trusted : null;
    return new Map(
      Object.entries(typeof trusted === 'object' && trusted !== null ? (trusted as Record<string, Trusted>) : {}),
    );
  } catch {
    return new Map();
  }
}

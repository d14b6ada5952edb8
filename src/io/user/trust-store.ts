import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeConfigFile } from './config-file.ts';
import { configFolder } from './config-folder.ts';

interface Trusted {
  readonly root: string;
  readonly since: string;
}

/** In the user's own folder, never in the project: a hostile project could bring it along. */
type Environment = Readonly<Record<string, string | undefined>>;

const storeFile = (environment: Environment): string => path.join(configFolder(environment), 'trust.json');

/** Has the user said so before? `hash`: of what would be executed, and where. */
export const isTrusted = async (hash: string, environment: Environment): Promise<boolean> =>
  (await read(environment)).has(hash);

/** One at a time: each keeps what the one before has written. */
let last: Promise<unknown> = Promise.resolve();

export function rememberTrust(hash: string, root: string, environment: Environment): Promise<void> {
  const done = last.then(async () => {
    const trusted = new Map([...(await read(environment)), [hash, { root, since: new Date().toISOString() }]]);
    await writeConfigFile(storeFile(environment), { trusted: Object.fromEntries(trusted) });
  });
  last = done.catch(() => undefined);
  return done;
}

/** A file that cannot be read trusts nothing. */
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

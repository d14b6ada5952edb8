import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
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

export async function rememberTrust(hash: string, root: string, environment: Environment): Promise<void> {
  const trusted = new Map([...(await read(environment)), [hash, { root, since: new Date().toISOString() }]]);
  const file = storeFile(environment);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify({ trusted: Object.fromEntries(trusted) }, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
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

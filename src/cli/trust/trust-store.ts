import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { configFolder } from '#engine/authoring.ts';
import type { CliIo } from '../cli-io.ts';

interface Trusted {
  readonly root: string;
  readonly since: string;
}

/** In the user's own folder, never in the project: a hostile project could bring it along. */
const storeFile = (io: CliIo): string => path.join(configFolder(io.env), 'trust.json');

export const isTrusted = async (hash: string, io: CliIo): Promise<boolean> => (await read(io)).has(hash);

export async function remember(hash: string, root: string, io: CliIo): Promise<void> {
  const trusted = new Map([...(await read(io)), [hash, { root, since: new Date().toISOString() }]]);
  const file = storeFile(io);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify({ trusted: Object.fromEntries(trusted) }, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

/** A file that cannot be read trusts nothing. */
async function read(io: CliIo): Promise<ReadonlyMap<string, Trusted>> {
  try {
    const value: unknown = JSON.parse(await readFile(storeFile(io), 'utf8'));
    const trusted = typeof value === 'object' && value !== null && 'trusted' in value ? value.trusted : null;
    return new Map(
      Object.entries(typeof trusted === 'object' && trusted !== null ? (trusted as Record<string, Trusted>) : {}),
    );
  } catch {
    return new Map();
  }
}

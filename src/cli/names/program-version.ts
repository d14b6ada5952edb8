import { readFile } from 'node:fs/promises';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the version in the package.json of the package that this file belongs to: the sources, `dist/cli`, or an installation. */
export async function programVersion(): Promise<string> {
  for (const above of ['../../../package.json', '../../package.json', '../package.json']) {
    const version = await versionIn(new URL(above, import.meta.url));
    if (version !== null) return version;
  }
  throw new Error('the package of robosmith has no package.json');
}

async function versionIn(file: URL): Promise<string | null> {
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof found !== 'object' || found === null || !('version' in found) || !('name' in found)) return null;
    return typeof found.version === 'string' && String(found.name).startsWith('robo-smith') ? found.version : null;
  } catch {
    return null;
  }
}

export async function showVersion(io: CliIo): Promise<number> {
  io.stdout.write(`${await programVersion()}\n`);
  return 0;
}

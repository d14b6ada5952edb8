import { readFile } from 'node:fs/promises';
import type { CliIo } from '../cli-io.ts';

/** The version stands in the package that this file is part of: in the sources, in `dist/cli`, or installed. */
export async function programVersion(): Promise<string> {
  for (const above of ['../../../package.json', '../../package.json', '../package.json']) {
    const version = await versionIn(new URL(above, import.meta.url));
    if (version !== null) return version;
  }
  throw new Error('the package of robosmith has no package.json');
}

export async function showVersion(io: CliIo): Promise<number> {
  io.stdout.write(`${await programVersion()}\n`);
  return 0;
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

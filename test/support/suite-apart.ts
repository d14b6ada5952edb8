import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A suite whose packages are its own, since they are large and no other check needs them. */
export interface SuiteApart {
  /** Has a package.json and a vitest.config.ts; absolute. */
  readonly folder: string;
  /** What is installed, and its size. */
  readonly what: string;
  /** For `npm install`, beside those that all have. */
  readonly install?: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Not `npm ci`: that wants the packages of all platforms in the lock file, also where they are not installed. */
const INSTALL = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];

interface Package {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readPackage = (folder: string): Package =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Package;

export const dependenciesOf = (folder: string): Readonly<Record<string, string>> =>
  readPackage(folder).dependencies ?? {};

function isThere(folder: string, name: string, version: string): boolean {
  const place = path.join(folder, 'node_modules', name);
  return existsSync(path.join(place, 'package.json')) && readPackage(place).version === version;
}

function install({ folder, what, install: more = [] }: SuiteApart): boolean {
  if (Object.entries(dependenciesOf(folder)).every(([name, version]) => isThere(folder, name, version))) return true;
  console.log(`installing ${what} …`);
  const options = { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' } as const;
  const { status } = spawnSync('npm', [...INSTALL, ...more], options);
  if (status !== 0) console.error('it could not be installed: npm says why above. Nothing was tested.');
  return status === 0;
}

/** Installs what is missing, and runs the tests with the arguments of this process; gives the exit code. */
export function runApart(suite: SuiteApart): number {
  if (!install(suite)) return 1;
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', path.join(suite.folder, 'vitest.config.ts'), ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

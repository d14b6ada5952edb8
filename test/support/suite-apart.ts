import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A test suite with its own npm packages, which are large and needed by no other suite. */
export interface SuiteApart {
  /** The absolute path of the suite's folder, which has a package.json and a vitest.config.ts. */
  readonly folder: string;
  /** A description of the packages and their size, for messages. */
  readonly what: string;
  /** Arguments of `npm install` in addition to the common ones. */
  readonly install?: readonly string[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** `npm ci` would require the packages of all platforms in the lock file, even those that are not installed. */
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

/** Installs missing packages, runs the tests with the arguments of this process, and returns the exit code. */
export function runApart(suite: SuiteApart): number {
  if (!install(suite)) return 1;
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', path.join(suite.folder, 'vitest.config.ts'), ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/* `npm run test:llama`: installs llama.cpp beside this file, where it is missing, and runs the tests that need it. */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.join(HERE, '../..');
/** Where llama.cpp is there as built, without a GPU. */
const BUILT: Readonly<Record<string, string>> = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'win32-x64': '@node-llama-cpp/win-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
};
/** Not `npm ci`: that wants the packages of all platforms in the lock file, also where they are not installed. */
const INSTALL = ['install', '--no-save', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];

const { dependencies } = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const isThere = (name: string): boolean => existsSync(path.join(HERE, 'node_modules', name, 'package.json'));

/** What this machine lacks that no installation brings; null: nothing. */
function whatIsMissing(): string | null {
  const platform = `${process.platform}-${process.arch}`;
  const built = BUILT[platform];
  if (built === undefined) return `There is no llama.cpp for ${platform}, so test:llama can't run here.`;
  if (built in dependencies) return null;
  const line = `"${built}": "${dependencies['node-llama-cpp'] ?? ''}"`;
  return `test/llama/package.json has no llama.cpp for ${platform}. Add ${line} to its dependencies, and run this again.`;
}

function install(): boolean {
  if (Object.keys(dependencies).every(isThere)) return true;
  console.log('installing llama.cpp (test/llama/package.json, 85 MB) …');
  const { status } = spawnSync('npm', INSTALL, { cwd: HERE, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) console.error('llama.cpp could not be installed: npm says why above. Nothing was tested.');
  return status === 0;
}

function prepare(): boolean {
  const missing = whatIsMissing();
  if (missing !== null) console.error(missing);
  return missing === null && install();
}

function run(): number {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', path.join(HERE, 'vitest.config.ts'), ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

process.exitCode = prepare() ? run() : 1;

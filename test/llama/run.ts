import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/* `npm run test:llama`: installs llama.cpp beside this file, where it is missing, and runs the tests that need it. */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = path.join(HERE, '../..');
const BINARIES = `@node-llama-cpp/${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const INSTALL = ['install', '--no-save', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];

const { dependencies } = JSON.parse(readFileSync(path.join(HERE, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const isThere = (name: string): boolean => existsSync(path.join(HERE, 'node_modules', name, 'package.json'));

function prepare(): boolean {
  if (!(BINARIES in dependencies)) {
    console.error(
      `test:llama needs llama.cpp built for ${process.platform}-${process.arch}, and test/llama/package.json has it for linux-x64 only. If there is a package for yours (as ${BINARIES}), name it there with the version of node-llama-cpp.`,
    );
    return false;
  }
  if (Object.keys(dependencies).every(isThere)) return true;
  console.log('installing llama.cpp (test/llama/package.json, 85 MB) …');
  execFileSync('npm', INSTALL, { cwd: HERE, stdio: 'inherit' });
  return true;
}

function run(): number {
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const config = path.join(HERE, 'vitest.config.ts');
  try {
    execFileSync(process.execPath, [vitest, 'run', '--config', config, ...process.argv.slice(2)], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    return 0;
  } catch {
    return 1;
  }
}

process.exitCode = prepare() ? run() : 1;

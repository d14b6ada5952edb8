import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './cruise.ts';

interface Locked {
  readonly resolved?: string;
  /** True if the package is a folder of this repository. */
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const packagesIn = (lockFile: string) => {
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, lockFile), 'utf8'));
  return (lock as { readonly packages: Readonly<Record<string, Locked>> }).packages;
};

const lockFiles = globSync('{.,bench,test/llama,test/agents}/package-lock.json', { cwd: ROOT });

test.each(lockFiles)('%s names no registry', (lockFile) => {
  const named = Object.entries(packagesIn(lockFile)).filter(
    ([, { resolved, link }]) => resolved !== undefined && link !== true,
  );
  expect(named).toEqual([]);
});

// `npm ci` rejects a lock file that lacks the builds for some platforms. npm writes such a file if a registry lacks a
// build.
test('the lock file has the builds for every platform', () => {
  const packages = packagesIn('package-lock.json');
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});

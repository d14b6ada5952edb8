import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { extension } from '../../../scripts/bundle.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  await build(extension(folder));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
});

/** The names that the extension uses from the editor's module. */
const names = new Set(
  globSync('src/extension/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bvscode\.(\w+)/g)].map(([, name]) => name ?? ''),
  ),
);

test('every file of the bundle loads without a module that was left out, and all commands are registered', () => {
  const program = path.join(import.meta.dirname, 'load-bundle.mjs');
  const output = execFileSync(process.execPath, [program, folder, ...names], { encoding: 'utf8' });
  const { loaded, registered } = JSON.parse(output) as {
    readonly loaded: readonly string[];
    readonly registered: readonly string[];
  };
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  };
  expect(loaded.some((file) => file.startsWith('start-language-'))).toBe(true);
  expect(registered).toEqual(expect.arrayContaining(contributes.commands.map(({ command }) => command)));
});

test('the language support is in no file that the activation loads', () => {
  const first = readFileSync(path.join(folder, 'extension.js'), 'utf8');
  // The codes of the compiler's diagnostics are in the language support only.
  expect(first).not.toMatch(/RS1\d{3}/);
  const eager = [...first.matchAll(/from\s*["']\.\/([^"']+)["']/g)].map(([, file]) => file ?? '');
  for (const file of eager) expect(readFileSync(path.join(folder, file), 'utf8')).not.toMatch(/RS1\d{3}/);
  const texts = globSync('*.js', { cwd: folder }).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect(texts.some((text) => /RS1\d{3}/.test(text))).toBe(true);
});

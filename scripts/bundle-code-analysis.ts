import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import { grammarLanguage, grammarNames } from '../src/roberto-mcp/parse/languages.ts';

const require = createRequire(import.meta.url);

/**
 * Build options of the code-analysis server: the server, its indexing process and its parser threads, as three entries
 * in one folder.
 */
export const codeAnalysis = (dist: string, shared: BuildOptions): BuildOptions => ({
  ...shared,
  packages: 'bundle',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  entryPoints: ['main', 'indexer', 'parser-thread'].map((name) => `src/roberto-mcp/${name}.ts`),
  outdir: `${dist}/roberto-mcp`,
});

const folderOf = (packageName: string): string =>
  packageName === 'web-tree-sitter'
    ? dirname(require.resolve('web-tree-sitter/web-tree-sitter.wasm'))
    : dirname(require.resolve(`${packageName}/package.json`));

interface Shipped {
  readonly package: string;
  readonly version: string;
  readonly files: readonly string[];
}

function shippedPackages(): readonly Shipped[] {
  const runtime = JSON.parse(readFileSync(join(folderOf('web-tree-sitter'), 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const byPackage = new Map<string, Shipped>([
    ['web-tree-sitter', { package: 'web-tree-sitter', version: runtime.version, files: ['web-tree-sitter.wasm'] }],
  ]);
  for (const name of grammarNames) {
    const { package: packageName, version, file } = grammarLanguage(name).grammar;
    const files = byPackage.get(packageName)?.files ?? [];
    byPackage.set(packageName, { package: packageName, version, files: [...files, file] });
  }
  return [...byPackage.values()];
}

function licenceOf(packageName: string): string {
  const folder = folderOf(packageName);
  const name = readdirSync(folder).find((file) => /^licen[cs]e/iu.test(file));
  if (name === undefined) throw new Error(`${packageName} has no licence file: it must not be shipped`);
  return readFileSync(join(folder, name), 'utf8').trim();
}

/** Copies the tree-sitter grammars next to the bundle and writes their licences. */
export function copyGrammars(dist: string): void {
  const folder = `${dist}/roberto-mcp/wasm`;
  mkdirSync(folder, { recursive: true });
  const packages = shippedPackages();
  for (const { package: packageName, files } of packages)
    for (const file of files) {
      const target = join(folder, file);
      if (!existsSync(target)) copyFileSync(join(folderOf(packageName), file), target);
    }
  const notices = packages.map(
    ({ package: packageName, version, files }) =>
      `${packageName} ${version}: ${files.join(', ')}\n\n${licenceOf(packageName)}\n`,
  );
  const head = 'The WebAssembly files in this folder come from these packages:\n\n';
  writeFileSync(`${folder}/THIRD_PARTY_NOTICES`, head + notices.join(`\n${'-'.repeat(80)}\n\n`));
}

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import { grammarLanguage, grammarNames } from '../src/roberto-mcp/parse/languages.ts';

const require = createRequire(import.meta.url);

/**
 * Build options of the code-analysis server: the server, its indexing process and its parser threads, as three entries
 * in one folder.
 */
export const codeAnalysis = (dist: string, shared: BuildOptions): BuildOptions => ({
  ...shared,
  entryPoints: ['main', 'comparer', 'indexer', 'parser-thread'].map((name) => `src/roberto-mcp/${name}.ts`),
  outdir: `${dist}/roberto-mcp`,
});

/** Returns the paths of all grammars in their npm packages. */
const grammarFiles = (): readonly string[] =>
  grammarNames.map((name) => {
    const { package: packageName, file } = grammarLanguage(name).grammar;
    return join(dirname(require.resolve(`${packageName}/package.json`)), file);
  });

const compress = promisify(brotliCompress);

/** Level 6 takes a second for all grammars; the next levels take two to eight times as long for 3 % less. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/**
 * Writes the tree-sitter runtime and the compressed grammars next to the bundle. Returns the files that were copied. The
 * runtime is not compressed, because web-tree-sitter loads it itself.
 */
export async function copyGrammars(dist: string): Promise<readonly string[]> {
  const folder = `${dist}/roberto-mcp/wasm`;
  mkdirSync(folder, { recursive: true });
  const runtime = require.resolve('web-tree-sitter/web-tree-sitter.wasm');
  copyFileSync(runtime, join(folder, basename(runtime)));
  const grammars = grammarFiles();
  await Promise.all(
    grammars.map(async (file) =>
      writeFileSync(join(folder, `${basename(file)}.br`), await compress(readFileSync(file), COMPRESSION)),
    ),
  );
  return [runtime, ...grammars];
}

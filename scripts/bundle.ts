import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { codeAnalysis, copyGrammars } from './bundle-code-analysis.ts';
import { bundleViews } from './views/bundle-views.ts';

const shared: BuildOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
};

/** Code that defines `require` in an ES module, because bundled CommonJS packages call it. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";

/**
 * The ELK layout engine, shipped unchanged in a file of its own: its licence requires that its notice is included, and
 * few commands need its 1.6 MB.
 */
const ELK = { module: 'elkjs/lib/elk.bundled.js', file: 'elk.bundled.cjs' } as const;

const elkBeside: Plugin = {
  name: 'elk-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^elkjs\// }, () => ({ path: `./${ELK.file}`, external: true }));
  },
};

/** Returns an entry point that is written directly into the output folder, where its importers expect it. */
const entry = (file: string) => [{ in: file, out: path.basename(file, '.ts') }];

/**
 * Entry point of the threads that execute a project's JavaScript modules, and the file that restricts what these load.
 * They must be next to the code that starts the threads.
 */
const MODULE_THREAD = [...entry('src/engine/modules/module-thread.ts'), ...entry('src/io/threads/load-guard.ts')];

/** A native module can't be bundled; npm installs it in the package of its platform. */
const KEYRING = '@napi-rs/keyring';

/**
 * Build options of the command line. All packages are bundled into a few files, because finding and reading them
 * dominates a cold start.
 */
export const commandLine = (dist: string): BuildOptions => ({
  ...shared,
  external: [KEYRING],
  banner: { js: REQUIRE },
  entryPoints: [
    ...entry('src/cli/main.ts'),
    ...entry('src/cli/terminal/watchdog-thread.ts'),
    ...entry('src/host/layout/layout-worker.ts'),
    ...MODULE_THREAD,
  ],
  plugins: [elkBeside],
  outdir: `${dist}/cli`,
});

/**
 * Build options of the library. XState is not bundled: a program that uses machines of the library must share it, and
 * its types, with the library.
 */
export const library = (dist: string): BuildOptions => ({
  ...shared,
  external: ['xstate', KEYRING],
  banner: { js: REQUIRE },
  entryPoints: [...entry('src/index.ts'), ...MODULE_THREAD],
  outdir: `${dist}/lib`,
});

/**
 * Matches the declaration of branded ids. The sources use branded types; the published declarations have plain strings
 * instead.
 */
const BRANDS = /^declare const brand: unique symbol;\n+type Branded<[\s\S]*?^\};$/m;

const plainIds = {
  name: 'plain-ids',
  renderChunk: (code: string) => {
    if (!BRANDS.test(code)) throw new Error('the declarations no longer hold the brands of protocol/id.ts');
    return code.replace(BRANDS, '').replaceAll(/\bBranded<'\w+'>/g, 'string');
  },
};

export const analysisServer = (dist: string): BuildOptions => ({
  ...codeAnalysis(dist, shared),
  banner: { js: REQUIRE },
});

const isPackage = /^[^.#/]/;

/** Bundles the type declarations. */
async function bundleDeclarations(dist: string): Promise<Bundled> {
  const bundle = await rollup({
    input: 'src/index.ts',
    external: isPackage,
    plugins: [dts({ tsconfig: 'tsconfig.json' })],
  });
  const { output } = await bundle.write({ file: `${dist}/lib/index.d.ts`, format: 'es', plugins: [plainIds] });
  await bundle.close();
  return { imports: output.flatMap((part) => (part.type === 'chunk' ? part.imports : [])), files: [] };
}

/** What a bundle consists of. */
export interface Bundled {
  /** The modules that it imports: packages that it does not contain, and modules of Node. */
  readonly imports: readonly string[];
  /** The source files whose code it contains. */
  readonly files: readonly string[];
}

const joined = (bundles: readonly Bundled[]): Bundled => ({
  imports: bundles.flatMap(({ imports }) => imports),
  files: bundles.flatMap(({ files }) => files),
});

const bundledOf = ({ outputs }: Metafile): Bundled => ({
  imports: Object.values(outputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, external }) => (external === true ? [path] : [])),
  ),
  files: Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  ),
});

export async function bundleCode(options: BuildOptions): Promise<Bundled> {
  const { metafile } = await build(options);
  if (metafile === undefined) throw new TypeError('every build has a metafile');
  return bundledOf(metafile);
}

/**
 * Build options of the VS Code extension: one file for the activation, and further files that are loaded on demand.
 * Everything except the module `vscode` is bundled.
 */
export const extension = (dist: string): BuildOptions => ({
  ...shared,
  external: ['vscode'],
  banner: { js: REQUIRE },
  entryPoints: ['src/extension/extension.ts'],
  outdir: dist,
});

/** Copies the ELK layout engine and its licence to the folder from which the layout thread loads it. */
export function copyElk(dist: string): void {
  mkdirSync(`${dist}/cli`, { recursive: true });
  copyFileSync(`node_modules/${ELK.module}`, `${dist}/cli/${ELK.file}`);
  copyFileSync('node_modules/elkjs/LICENSE.md', `${dist}/cli/elk.LICENSE.md`);
}

/**
 * Builds what every package contains: the command line with the layout engine, the code-analysis server with its
 * grammars, and the views.
 */
export async function bundleProgram(dist: string): Promise<Bundled> {
  for (const folder of ['cli', 'roberto-mcp']) rmSync(`${dist}/${folder}`, { recursive: true, force: true });
  const [commands, analysis, views] = await Promise.all([
    bundleCode(commandLine(dist)),
    bundleCode(analysisServer(dist)),
    bundleViews(dist),
  ]);
  copyElk(dist);
  const grammars = await copyGrammars(dist);
  return joined([commands, analysis, { imports: [], files: [...views, ...grammars] }]);
}

/** Builds the program and the library. */
export async function bundle(dist: string): Promise<Bundled> {
  rmSync(`${dist}/lib`, { recursive: true, force: true });
  return joined(await Promise.all([bundleProgram(dist), bundleCode(library(dist)), bundleDeclarations(dist)]));
}

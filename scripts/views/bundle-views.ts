import { svelte } from '@sveltejs/vite-plugin-svelte';
import { join, resolve } from 'node:path';
import { build, type InlineConfig, type Plugin } from 'vite';
import { ICONS } from '../../webview-ui/src/look/icons.ts';
import { subsetFont } from './subset-font.ts';

const ROOT = join(import.meta.dirname, '../../webview-ui');

interface Named {
  readonly hash: (text: string) => string;
  readonly filename: string;
}

/** Returns a short CSS scope class: Svelte adds it to every element that a component styles, so its length matters. */
const cssHash = ({ hash, filename }: Named): string => `s${hash(filename).slice(-4)}`;

/** A Vite plugin that reduces the icon font to the glyphs that the views use. */
const subsetIcons: Plugin = {
  name: 'subset-icons',
  generateBundle(_, bundle) {
    for (const asset of Object.values(bundle)) {
      if (asset.type !== 'asset' || !asset.fileName.endsWith('.ttf')) continue;
      asset.source = subsetFont(Buffer.from(asset.source), Object.values(ICONS));
    }
  },
};

interface Page {
  /** Entry file, relative to `webview-ui/src`. */
  readonly entry: string;
  /** Base name of the page's script and style sheet. */
  readonly name: string;
}

const VIEWS: Page = { entry: 'main.ts', name: 'view' };
/**
 * The actor inspector is a page of its own: it includes ELK, which is ten times as large as all other views together.
 */
const ACTORS: Page = { entry: 'inspector/main.ts', name: 'actors' };

/**
 * Returns the Vite configuration of a page: a script, which loads a second one for what is not shown at first, one style
 * sheet and one font. All URLs are relative, because a
 * webview's address is not known at build time.
 */
const viewsConfig = ({ entry, name }: Page, outDir: string, isWatched: boolean): InlineConfig => ({
  root: ROOT,
  configFile: false,
  base: './',
  logLevel: 'warn',
  plugins: [
    svelte({
      configFile: false,
      compilerOptions: { css: 'external', runes: true, discloseVersion: false, cssHash },
    }),
    subsetIcons,
  ],
  publicDir: name === VIEWS.name ? 'public' : false,
  build: {
    target: 'es2022',
    outDir: resolve(outDir),
    emptyOutDir: name === VIEWS.name,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 2_000,
    watch: isWatched ? {} : null,
    rolldownOptions: {
      input: join(ROOT, 'src', entry),
      checks: { bundlerTimings: false },
      output: {
        entryFileNames: `${name}.js`,
        chunkFileNames: `${name}-[name].js`,
        assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') === true ? `${name}.css` : '[name][extname]'),
      },
    },
  },
});

/**
 * Builds the views into `<dist>/webview`: `view` and `actors` (scripts and a style sheet each), `codicon.ttf`, and
 * `themes.css` for browsers. Returns the files that these contain.
 */
export async function bundleViews(dist: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const page of [VIEWS, ACTORS]) {
    const built = await build(viewsConfig(page, `${dist}/webview`, false));
    if (!('output' in built)) throw new TypeError('a page has one output');
    for (const part of built.output)
      files.push(
        ...(part.type === 'chunk' ? part.moduleIds : part.originalFileNames.map((file) => resolve(ROOT, file))),
      );
  }
  return files;
}

/** Builds the views, and again after each change of their files. */
export async function watchViews(dist: string): Promise<void> {
  for (const page of [VIEWS, ACTORS]) await build(viewsConfig(page, `${dist}/webview`, true));
}

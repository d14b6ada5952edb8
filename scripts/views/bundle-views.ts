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

/** Short: the class stands on every element that a component styles. */
const cssHash = ({ hash, filename }: Named): string => `s${hash(filename).slice(-4)}`;

/** Replaces the icon font by one with the glyphs that the views use. */
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
  /** The entry, below `webview-ui/src`. */
  readonly entry: string;
  /** The name of its script and of its style sheet. */
  readonly name: string;
}

const VIEWS: Page = { entry: 'main.ts', name: 'view' };
/** The inspector of actors is a page of its own: it brings ELK along, which is ten times as large as all other views. */
const ACTORS: Page = { entry: 'actors/main.ts', name: 'actors' };

/** One script, one style sheet and one font. A webview's address is not known before it is shown: all addresses are relative. */
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
        assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') === true ? `${name}.css` : '[name][extname]'),
      },
    },
  },
});

/** Builds the views into `<dist>/webview`: `view` and `actors` as script and style sheet, `codicon.ttf`, and `themes.css` for the browser. */
export async function bundleViews(dist: string, isWatched = false): Promise<void> {
  for (const page of [VIEWS, ACTORS]) await build(viewsConfig(page, `${dist}/webview`, isWatched));
}

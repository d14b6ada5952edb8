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

/** One script, one style sheet and one font. A webview's address is not known before it is shown: all addresses are relative. */
const viewsConfig = (outDir: string, isWatched: boolean): InlineConfig => ({
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
  publicDir: 'public',
  build: {
    target: 'es2022',
    outDir: resolve(outDir),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    watch: isWatched ? {} : null,
    rolldownOptions: {
      input: join(ROOT, 'src/main.ts'),
      checks: { bundlerTimings: false },
      output: {
        entryFileNames: 'view.js',
        assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') === true ? 'view.css' : '[name][extname]'),
      },
    },
  },
});

/** Builds the views into `<dist>/webview`: `view.js`, `view.css`, `codicon.ttf`, and `themes.css` for the browser. */
export async function bundleViews(dist: string, isWatched = false): Promise<void> {
  await build(viewsConfig(`${dist}/webview`, isWatched));
}

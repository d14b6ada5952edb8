import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { subsetFont } from './build/subset-font.ts';
import { ICONS } from './src/look/icons.ts';

/** Short: a class stands on every element that a component styles. */
const cssHash = ({ hash, filename }: { readonly hash: (text: string) => string; readonly filename: string }): string =>
  `s${hash(filename).slice(-4)}`;

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

// A webview's address is not known before it is shown: every address in the bundle is relative.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  logLevel: 'warn',
  plugins: [svelte({ configFile: false, compilerOptions: { css: 'external', runes: true, discloseVersion: false, cssHash } }), subsetIcons],
  resolve: { alias: [{ find: /^#protocol\//, replacement: `${import.meta.dirname}/../src/protocol/` }] },
  publicDir: 'public',
  build: {
    target: 'es2022',
    outDir: '../dist/webview',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: 'src/main.ts',
      output: { entryFileNames: 'view.js', assetFileNames: (asset) => (asset.names[0]?.endsWith('.css') === true ? 'view.css' : '[name][extname]') },
    },
  },
});

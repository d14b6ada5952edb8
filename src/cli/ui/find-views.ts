import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the folder with the bundled views; null if they were not built. */
export function findViews(): string | null {
  const here = import.meta.dirname;
  const folders = ['../webview', '../../../dist/webview'].map((folder) => path.resolve(here, folder));
  return folders.find((folder) => existsSync(path.join(folder, 'view.js'))) ?? null;
}

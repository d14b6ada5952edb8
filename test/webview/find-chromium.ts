import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/**
 * Returns the path of Chromium: that of the variable ROBOSMITH_CHROMIUM, or an installed one; null if there is none.
 */
export function findChromium(): string | null {
  const named = process.env['ROBOSMITH_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  return PLACES.find((place) => existsSync(place)) ?? null;
}

/** Chromium's own sandbox needs namespaces that containers often lack. The pages are local and our own. */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];

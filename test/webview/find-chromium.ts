import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/** The Chromium of the variable ROBOSMITH_CHROMIUM, or one that is installed; null: none is. */
export function findChromium(): string | null {
  const named = process.env['ROBOSMITH_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  return PLACES.find((place) => existsSync(place)) ?? null;
}

/** Chromium's own sandbox needs namespaces that containers often lack; the pages are ours and local. */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];

import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/**
 * Returns the path of Chromium: the value of the variable ROBOSMITH_CHROMIUM, or an installed one. Null if there is
 * none.
 */
export function findChromium(): string | null {
  const named = process.env['ROBOSMITH_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  return PLACES.find((place) => existsSync(place)) ?? null;
}

/**
 * The sandbox is disabled, because it needs namespaces that containers often lack. All pages are local and belong to
 * RoboSmith.
 */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];

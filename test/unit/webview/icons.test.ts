import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { subsetFont } from '../../../scripts/views/subset-font.ts';
import { ICONS } from '../../../webview-ui/src/look/icons.ts';

const css = readFileSync('node_modules/@vscode/codicons/dist/codicon.css', 'utf8');
const font = readFileSync('node_modules/@vscode/codicons/dist/codicon.ttf');

test.each(Object.entries(ICONS))('%s is a codicon', (name, codePoint) => {
  const found = new RegExp(`\\.codicon-${name}:before \\{ content: "\\\\(\\w+)" \\}`).exec(css)?.[1];
  expect(found).toBe(codePoint.toString(16));
});

test('the font keeps the icons that are used, and is a tenth of the whole', () => {
  const subset = subsetFont(font, Object.values(ICONS));
  expect(subset.length).toBeLessThan(font.length / 8);
  // If the font is reduced to the icons a second time, its size stays the same, so it contains all icons and nothing
  // else.
  expect(subsetFont(subset, Object.values(ICONS)).length).toBe(subset.length);
});

test('an icon that the font lacks is refused', () => {
  expect(() => subsetFont(font, [0x41])).toThrow('the icon font has no character 41');
});

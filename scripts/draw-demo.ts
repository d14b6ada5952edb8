import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawLine, LINE, PADDING, TEXT_STYLE, WIDTH } from './docs/terminal-picture.ts';

/*
 * Draws docs/images/demo.svg from a real run of the demonstration: the output of its second scene, scrolling in a
 * terminal. The animation loops; with `prefers-reduced-motion` its last frame is shown.
 */

const ROOT = join(import.meta.dirname, '..');
const SCENE = 'Write, test, troubleshoot, test again';
const ROWS = 24;
const SECONDS_PER_LINE = 0.35;
const PAUSE_SECONDS = 4;

/** Returns CSS key frames that scroll the lines up once the terminal is full. */
function scrolling(lines: number, total: number): string {
  const steps = Array.from({ length: Math.max(0, lines - ROWS) }, (_, index) => {
    const at = (((index + ROWS) * SECONDS_PER_LINE) / total) * 100;
    return `${at.toFixed(2)}%{transform:translateY(${-(index + 1) * LINE}px)}`;
  });
  return `@keyframes scroll{0%{transform:none}${steps.join('')}100%{transform:translateY(${-Math.max(0, lines - ROWS) * LINE}px)}}`;
}

const shownLate = (line: string, index: number): string =>
  drawLine(line, index, ` class="l" style="animation-delay:${(index * SECONDS_PER_LINE).toFixed(2)}s"`);

function draw(lines: readonly string[]): string {
  const total = lines.length * SECONDS_PER_LINE + PAUSE_SECONDS;
  const height = PADDING * 2 + ROWS * LINE;
  const end = -Math.max(0, lines.length - ROWS) * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="A run of the demonstration in a terminal">
<style>
${TEXT_STYLE}
.l{opacity:0;animation:show ${total}s steps(1) infinite both}
.s{animation:scroll ${total}s steps(1) infinite both}
@keyframes show{0%{opacity:1}100%{opacity:1}}
${scrolling(lines.length, total)}
@media (prefers-reduced-motion:reduce){.l{animation:none;opacity:1}.s{animation:none;transform:translateY(${end}px)}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1f1f1f"/>
<svg x="0" y="${PADDING}" width="${WIDTH}" height="${ROWS * LINE}" viewBox="0 0 ${WIDTH} ${ROWS * LINE}"><g class="s">
${lines.map(shownLate).join('\n')}
</g></svg>
</svg>
`;
}

const { stdout, status } = spawnSync(process.execPath, [join(ROOT, 'demo/run.ts')], {
  encoding: 'utf8',
  env: { ...process.env, FORCE_COLOR: '1' },
});
if (status !== 0) throw new Error(`the demonstration ended with ${status}`);
const all = stdout.split('\n');
const from = all.findIndex((line) => line.includes(SCENE));
if (from === -1) throw new Error(`the demonstration has no scene "${SCENE}"`);
const until = all.findIndex((line, index) => index > from && line.includes('━━'));
const target = join(ROOT, 'docs/images/demo.svg');
writeFileSync(target, draw(all.slice(from + 2, until === -1 ? undefined : until - 1)));
console.log(target);

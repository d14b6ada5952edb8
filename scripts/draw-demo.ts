import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Draws docs/images/demo.svg from a real run of the demonstration: the output of its second scene, scrolling in a
 * terminal. The animation loops; with `prefers-reduced-motion` its last frame is shown.
 */

const ROOT = join(import.meta.dirname, '..');
const SCENE = 'Write, test, troubleshoot, test again';
const COLUMNS = 108;
const ROWS = 24;
const CHARACTER = 8.4;
const LINE = 19;
const PADDING = 16;
const SECONDS_PER_LINE = 0.35;
const PAUSE_SECONDS = 4;

interface Piece {
  readonly text: string;
  readonly classes: readonly string[];
}

const ESCAPE = String.fromCharCode(27);
const STYLE = new RegExp(`(${ESCAPE}\\[\\d+m)`);
const STYLE_CODE = new RegExp(`^${ESCAPE}\\[(\\d+)m$`);

const CLASSES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 35: 'm', 36: 'c' };
const ENDS: Readonly<Record<string, readonly string[]>> = { 22: ['b', 'd'], 39: ['r', 'g', 'y', 'm', 'c'] };

/** Splits a terminal line into pieces of uniform style by its ANSI escape codes. */
function pieces(line: string): readonly Piece[] {
  const on = new Set<string>();
  const found: Piece[] = [];
  for (const part of line.split(STYLE)) {
    const code = STYLE_CODE.exec(part)?.[1];
    if (code === undefined) {
      if (part !== '') found.push({ text: part, classes: [...on] });
      continue;
    }
    const style = CLASSES[code];
    if (style !== undefined) on.add(style);
    for (const ended of ENDS[code] ?? []) on.delete(ended);
  }
  return found;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function drawLine(line: string, index: number): string {
  let column = 0;
  const spans = pieces(line).map(({ text, classes }) => {
    const shown = text.slice(0, Math.max(0, COLUMNS - column));
    const x = (PADDING + column * CHARACTER).toFixed(1);
    column += shown.length;
    const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
    return shown.trim() === '' ? '' : `<tspan x="${x}"${style}>${escapeXml(shown)}</tspan>`;
  });
  return `<text y="${index * LINE + 14}" xml:space="preserve" class="l" style="animation-delay:${(index * SECONDS_PER_LINE).toFixed(2)}s">${spans.join('')}</text>`;
}

/** Returns CSS key frames that scroll the lines up once the terminal is full. */
function scrolling(lines: number, total: number): string {
  const steps = Array.from({ length: Math.max(0, lines - ROWS) }, (_, index) => {
    const at = (((index + ROWS) * SECONDS_PER_LINE) / total) * 100;
    return `${at.toFixed(2)}%{transform:translateY(${-(index + 1) * LINE}px)}`;
  });
  return `@keyframes scroll{0%{transform:none}${steps.join('')}100%{transform:translateY(${-Math.max(0, lines - ROWS) * LINE}px)}}`;
}

function draw(lines: readonly string[]): string {
  const total = lines.length * SECONDS_PER_LINE + PAUSE_SECONDS;
  const width = PADDING * 2 + COLUMNS * CHARACTER;
  const height = PADDING * 2 + ROWS * LINE;
  const end = -Math.max(0, lines.length - ROWS) * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A run of the demonstration in a terminal">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d4d4d4}
.b{font-weight:700}.d{fill:#8b949e}.r{fill:#f47067}.g{fill:#57ab5a}.y{fill:#daaa3f}.m{fill:#b083f0}.c{fill:#39c5cf}
.l{opacity:0;animation:show ${total}s steps(1) infinite both}
.s{animation:scroll ${total}s steps(1) infinite both}
@keyframes show{0%{opacity:1}100%{opacity:1}}
${scrolling(lines.length, total)}
@media (prefers-reduced-motion:reduce){.l{animation:none;opacity:1}.s{animation:none;transform:translateY(${end}px)}}
</style>
<rect width="100%" height="100%" rx="8" fill="#1f1f1f"/>
<svg x="0" y="${PADDING}" width="${width}" height="${ROWS * LINE}" viewBox="0 0 ${width} ${ROWS * LINE}"><g class="s">
${lines.map(drawLine).join('\n')}
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

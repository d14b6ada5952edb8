/** The number of characters in a line of a picture. */
export const COLUMNS = 108;
export const LINE = 19;
export const PADDING = 16;
const CHARACTER = 8.4;
export const WIDTH = PADDING * 2 + COLUMNS * CHARACTER;

/** The styles of a terminal's text, as CSS. */
export const TEXT_STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d4d4d4}
.b{font-weight:700}.d{fill:#8b949e}.r{fill:#f47067}.g{fill:#57ab5a}.y{fill:#daaa3f}.m{fill:#b083f0}.c{fill:#39c5cf}`;

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

/** Draws a line of a terminal; `attributes` are added to its element. */
export function drawLine(line: string, index: number, attributes = ''): string {
  let column = 0;
  const spans = pieces(line).map(({ text, classes }) => {
    const shown = text.slice(0, Math.max(0, COLUMNS - column));
    const x = (PADDING + column * CHARACTER).toFixed(1);
    column += shown.length;
    const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`;
    return shown.trim() === '' ? '' : `<tspan x="${x}"${style}>${escapeXml(shown)}</tspan>`;
  });
  return `<text y="${index * LINE + 14}" xml:space="preserve"${attributes}>${spans.join('')}</text>`;
}

const visible = (line: string): string =>
  line
    .split(STYLE)
    .filter((part) => !STYLE_CODE.test(part))
    .join('');

/** Breaks a line that is wider than the picture between words. A style does not continue after the break. */
function wrapped(line: string): readonly string[] {
  if (visible(line).length <= COLUMNS) return [line];
  const indent = `${/^\s*/.exec(visible(line))?.[0] ?? ''}  `;
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const next = current === '' ? word : `${current} ${word}`;
    if (visible(next).length > COLUMNS) {
      lines.push(current);
      current = indent + word;
    } else current = next;
  }
  return [...lines, current];
}

/** Draws a terminal with all of these lines. `label` describes the picture for those who can't see it. */
export function drawTerminal(text: string, label: string): string {
  const lines = text.trimEnd().split('\n').flatMap(wrapped);
  const height = PADDING * 2 + lines.length * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(label)}">
<style>
${TEXT_STYLE}
</style>
<rect width="100%" height="100%" rx="8" fill="#1f1f1f"/>
<svg x="0" y="${PADDING}">
${lines.map((line, index) => drawLine(line, index)).join('\n')}
</svg>
</svg>
`;
}

/**
 * Characters that steer a terminal, hide text or reorder it: control characters except tab and line feed, bidirectional
 * controls, line separators, and characters without a picture of their own. Some of the latter are letters for
 * programming languages (U+3164), and some spell out bytes that only a model reads (tags, variation selectors).
 */
const CONTROLS = [
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f]`,
  String.raw`[\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]`,
  String.raw`[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`,
];

/**
 * Joiners and variation selectors without a letter or picture before them. Behind one they are part of emoji and of some
 * scripts; of ASCII only the signs of keycaps have a variant.
 */
const LONELY = [
  String.raw`(?<=^|[\u0000-\u007f\u200c\u200d])[\u200c\u200d\ufe00-\ufe0f](?!\u20e3)`,
  String.raw`(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]`,
];

/** Matches each hidden character of a text. */
// eslint-disable-next-line no-misleading-character-class -- each of these characters is looked for by itself
export const HIDDEN = new RegExp([...CONTROLS, ...LONELY].join('|'), 'gu');

const ESCAPE = 0x1b;

const BELL = 0x07;

/** C1 control codes: single characters that start a control sequence. */
const CSI = 0x9b;

const OSC = 0x9d;

const INTRODUCERS: readonly string[] = [ESCAPE, CSI, OSC].map((code) => String.fromCharCode(code));

/** Returns the position after a control sequence (`ESC [ … letter`). `at` is the position after its introducer. */
function endOfSequence(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) <= 0x3f) end += 1;
  const final = text.charCodeAt(end);
  return final >= 0x40 && final <= 0x7e ? end + 1 : end;
}

/**
 * Returns a function that finds the end of an operating system command (OSC sequence). It scans the text only once,
 * from left to right.
 */
function createTerminators(text: string): (from: number) => number | null {
  let next = 0;
  let end: number | null = null;
  return (from) => {
    if (end !== null && end > from) return end;
    for (next = Math.max(next, from); next < text.length; next += 1) {
      const code = text.charCodeAt(next);
      const isString = code === ESCAPE && text[next + 1] === '\\';
      if (code !== BELL && code !== 0x9c && !isString) continue;
      end = next + (isString ? 2 : 1);
      return end;
    }
    end = null;
    return null;
  };
}

/** Removes terminal control sequences from a text, in linear time. */
export function withoutSequences(text: string): string {
  if (!INTRODUCERS.some((code) => text.includes(code))) return text;
  const terminator = createTerminators(text);
  const kept: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code !== ESCAPE && code !== CSI && code !== OSC) {
      at += 1;
      continue;
    }
    kept.push(text.slice(start, at));
    const introducer = code === ESCAPE ? text[at + 1] : code === CSI ? '[' : ']';
    const behind = code === ESCAPE ? at + 2 : at + 1;
    if (introducer === ']') at = terminator(behind) ?? behind;
    else if (introducer === '[') at = endOfSequence(text, behind);
    else if (introducer !== undefined && /[@-Z\\^_=>78cDEHMNOZ()#%]/.test(introducer)) at = endOfShort(text, at);
    else at += 1;
    start = at;
  }
  kept.push(text.slice(start));
  return kept.join('');
}

/** Returns the position after an escape sequence of two or three characters (`ESC 7`, `ESC ( B`). */
const endOfShort = (text: string, at: number): number =>
  '()#%'.includes(text[at + 1] ?? ' ') ? Math.min(at + 3, text.length) : at + 2;

/**
 * Makes untrusted text from manifests, logs or models safe to print: removes terminal control sequences and replaces
 * control characters and hidden ones.
 */
export const harmless = (text: string): string => withoutSequences(text).replace(HIDDEN, '\ufffd');

/**
 * Bidirectional control characters. They reorder the displayed text, so that people read something other than the
 * actual text.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces each bidirectional control character by a visible U+FFFD, for text that is only displayed. */
export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '\ufffd');

/**
 * Returns indented JSON in which bidirectional control characters are escaped: they become visible, and the values stay
 * the same.
 */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(BIDI_CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);

/** Returns a text on one line, shortened to `most` characters with an ellipsis. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

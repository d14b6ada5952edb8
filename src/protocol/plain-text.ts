import { HIDDEN } from './hidden-characters.ts';

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

/** Maximum length of a line in characters. A longer line is skipped up to its line feed, and none of it is kept. */
export const LONGEST_LINE = 8_000_000;

interface Lines {
  add(text: string): void;
  /** Ends the input. Emits the last line if it has no line feed. */
  end(): void;
  /** The number of lines that were too long. */
  readonly dropped: number;
}

/** Splits a text that arrives in chunks into lines. The buffer never holds more than the longest permitted line. */
export function readLines(onLine: (line: string) => void): Lines {
  let parts: string[] = [];
  let length = 0;
  let dropped = 0;

  const keep = (part: string): void => {
    length += part.length;
    if (length <= LONGEST_LINE) parts.push(part);
    else parts = [];
  };
  const flush = (): void => {
    if (length > LONGEST_LINE) dropped += 1;
    else if (length > 0) onLine(parts.join('').replace(/\r$/, ''));
    parts = [];
    length = 0;
  };

  return {
    add: (text) => {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        keep(text.slice(from, at));
        flush();
        from = at + 1;
      }
      if (from < text.length) keep(text.slice(from));
    },
    end: flush,
    get dropped() {
      return dropped;
    },
  };
}

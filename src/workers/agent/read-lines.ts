/** A longer line is no event: its end is awaited, and nothing of it is kept. */
const LONGEST_LINE = 8_000_000;

export interface Lines {
  add(text: string): void;
  /** What has no line feed at its end is a line as well. */
  end(): void;
  /** Lines that were too long. */
  readonly dropped: number;
}

/** Cuts a text that comes in parts into lines; one that never ends takes no more room than the longest. */
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

/** Maximum length of a line in characters; the rest is dropped. */
export const LONGEST_LINE = 4_000;
/** Maximum length of a document on a single line, in characters. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);

/** Matches terminal control sequences, such as colours. */
const ORDERS = new RegExp(`${ESCAPE}(?:\\[[0-9;?]{0,50}[A-Za-z]|\\][^${BELL}${ESCAPE}]{0,200}${BELL})`, 'g');

/** Removes the control sequences of terminals from a text. */
export const withoutColours = (text: string): string => (text.includes(ESCAPE) ? text.replaceAll(ORDERS, '') : text);

const plain = (line: string): string => withoutColours(line.endsWith('\r') ? line.slice(0, -1) : line);

const isDocument = (text: string): boolean => text.startsWith('{') || text.startsWith('[{') || text.startsWith('<');

/** Splits chunks of text into lines. Drops the characters of a line that exceed the maximum length. */
export function splitLines(onLine: (line: string) => void) {
  // Parts are joined once per line: joining with every chunk would take quadratic time.
  let parts: string[] = [];
  let length = 0;
  let start = '';
  const take = (part: string): void => {
    if (start.length < 2) start += part.slice(0, 2);
    const room = (isDocument(start) ? LONGEST_DOCUMENT : LONGEST_LINE) - length;
    if (room <= 0 || part === '') return;
    parts.push(part.slice(0, room));
    length += Math.min(part.length, room);
  };
  const end = (): void => {
    const line = parts.join('');
    parts = [];
    length = 0;
    start = '';
    onLine(plain(line));
  };
  return {
    add: (text: string): void => {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        // Most lines arrive complete and need no buffering.
        if (length === 0 && at - from <= LONGEST_LINE) onLine(plain(text.slice(from, at)));
        else {
          take(text.slice(from, at));
          end();
        }
        from = at + 1;
      }
      take(text.slice(from));
    },
    end: (): void => {
      if (length > 0) end();
    },
  };
}

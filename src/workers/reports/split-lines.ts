/** Enough for any line that is read as such. */
export const LONGEST_LINE = 4_000;
/** A whole document may stand in one line. */
const LONGEST_DOCUMENT = 16 * 1024 * 1024;

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);

/** Colours and other orders to a terminal. */
const ORDERS = new RegExp(`${ESCAPE}(?:\\[[0-9;?]{0,50}[A-Za-z]|\\][^${BELL}${ESCAPE}]{0,200}${BELL})`, 'g');

const plain = (line: string): string => {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.includes(ESCAPE) ? text.replaceAll(ORDERS, '') : text;
};

const isDocument = (text: string): boolean => text.startsWith('{') || text.startsWith('[{') || text.startsWith('<');

/** Lines out of pieces of text; what is too long for a line is left out. */
export function splitLines(onLine: (line: string) => void) {
  let pending = '';
  const take = (part: string): void => {
    const room = (isDocument(pending === '' ? part : pending) ? LONGEST_DOCUMENT : LONGEST_LINE) - pending.length;
    if (room > 0) pending += part.length <= room ? part : part.slice(0, room);
  };
  const end = (): void => {
    const line = pending;
    pending = '';
    onLine(plain(line));
  };
  return {
    add: (text: string): void => {
      let from = 0;
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
        take(text.slice(from, at));
        end();
        from = at + 1;
      }
      take(text.slice(from));
    },
    end: (): void => {
      if (pending !== '') end();
    },
  };
}

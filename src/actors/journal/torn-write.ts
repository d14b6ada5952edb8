/** The smallest unit that disks write. */
const SECTOR = 512;
const NEWLINE = 0x0a;

const endOfZeros = (bytes: Buffer, from: number): number => {
  let at = from;
  while (bytes[at] === 0) at += 1;
  return at;
};

/**
 * Returns whether the bytes look like a torn write, of which one part reached the disk and another did not. Such a
 * write has zeros from its start or the start of a sector to the end of a sector or of the file; nothing that is
 * written here contains a zero byte.
 */
export function hasTornWrite(bytes: Buffer, from: number): boolean {
  let found = false;
  for (let at = bytes.indexOf(0, from); at !== -1; at = bytes.indexOf(0, at)) {
    const begins = at === 0 || bytes[at - 1] === NEWLINE || at % SECTOR === 0;
    at = endOfZeros(bytes, at);
    if (!begins || (at !== bytes.length && at % SECTOR !== 0)) return false;
    found = true;
  }
  return found;
}

/** Encodes ordered pairs of row and column as varints: the difference to the previous row, then the column. */
export function encodePositions(positions: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(positions.length * 5);
  let length = 0;
  let before = 0;
  for (let at = 0; at < positions.length; at += 2) {
    const row = positions[at] ?? 0;
    length = writeVarint(bytes, length, row - before);
    length = writeVarint(bytes, length, positions[at + 1] ?? 0);
    before = row;
  }
  return bytes.slice(0, length);
}

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 128) {
    bytes[at] = (rest & 127) | 128;
    rest >>>= 7;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

/** Decodes positions that `encodePositions` wrote. Truncated input gives fewer pairs, never an error. */
export function decodePositions(bytes: Uint8Array): readonly number[] {
  const positions: number[] = [];
  let value = 0;
  let shift = 0;
  let row = 0;
  let isRow = true;
  for (const byte of bytes) {
    value |= (byte & 127) << shift;
    if (byte >= 128) {
      shift += 7;
      if (shift > 28) return positions;
      continue;
    }
    if (isRow) row += value;
    else positions.push(row, value);
    isRow = !isRow;
    value = 0;
    shift = 0;
  }
  return positions;
}

/** Returns the number of encoded positions. Each varint ends with a byte below 128. */
export function countPositions(bytes: Uint8Array): number {
  let ends = 0;
  for (const byte of bytes) if (byte < 128) ends += 1;
  return ends >> 1;
}

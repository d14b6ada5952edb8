/** One table of a TrueType font file. */
interface Table {
  readonly tag: string;
  readonly data: Buffer;
}

const TABLE_RECORD = 16;
const HEADER = 12;
/** TrueType tables that a browser needs to draw glyphs. Ligatures and glyph names are dropped. */
const KEPT = new Set(['OS/2', 'cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'name', 'post']);
/** Version 3.0 of the `post` table, which contains no glyph names. */
const POST_WITHOUT_NAMES = 0x00030000;
const POST_LENGTH = 32;

const pad = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);

function readTables(font: Buffer): ReadonlyMap<string, Buffer> {
  const count = font.readUInt16BE(4);
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = HEADER + index * TABLE_RECORD;
      const start = font.readUInt32BE(at + 8);
      return [font.toString('latin1', at, at + 4), font.subarray(start, start + font.readUInt32BE(at + 12))] as const;
    }),
  );
}

function need(tables: ReadonlyMap<string, Buffer>, tag: string): Buffer {
  const data = tables.get(tag);
  if (data === undefined) throw new Error(`the icon font has no table "${tag}"`);
  return data;
}

/** Returns the glyph index of a character in a `cmap` subtable of format 4; 0 if the font lacks it. */
function glyphIndex(subtable: Buffer, codePoint: number): number {
  const segments = subtable.readUInt16BE(6) / 2;
  for (let index = 0; index < segments; index += 1) {
    const end = 14 + index * 2;
    const start = end + segments * 2 + 2;
    const delta = start + segments * 2;
    const range = delta + segments * 2;
    if (codePoint > subtable.readUInt16BE(end)) continue;
    if (codePoint < subtable.readUInt16BE(start)) return 0;
    const offset = subtable.readUInt16BE(range);
    if (offset === 0) return (codePoint + subtable.readInt16BE(delta)) & 0xffff;
    return subtable.readUInt16BE(range + offset + (codePoint - subtable.readUInt16BE(start)) * 2);
  }
  return 0;
}

function findSubtable(cmap: Buffer): Buffer {
  for (let index = 0; index < cmap.readUInt16BE(2); index += 1) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4));
    if (subtable.readUInt16BE(0) === 4) return subtable;
  }
  throw new Error('the icon font has no character map of format 4');
}

/** Writes a `cmap` subtable of format 4 with one segment for each character, and the required end segment. */
function writeCmap(glyphs: readonly (readonly [number, number])[]): Buffer {
  const rows = [...glyphs, [0xffff, 0] as const];
  const power = Math.floor(Math.log2(rows.length));
  const range = 2 * 2 ** power;
  const words = [
    ...[4, 16 + rows.length * 8, 0, rows.length * 2, range, power, rows.length * 2 - range],
    ...rows.map(([codePoint]) => codePoint),
    0,
    ...rows.map(([codePoint]) => codePoint),
    ...rows.map(([codePoint, glyph]) => (glyph - codePoint) & 0xffff),
    ...rows.map(() => 0),
  ];
  const head = Buffer.from([0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12]);
  const body = Buffer.alloc(words.length * 2);
  words.forEach((word, index) => body.writeUInt16BE(word, index * 2));
  return Buffer.concat([head, body]);
}

function keepOutlines(tables: ReadonlyMap<string, Buffer>, kept: ReadonlySet<number>): readonly [Buffer, Buffer] {
  const [loca, glyf] = [need(tables, 'loca'), need(tables, 'glyf')];
  const isLong = need(tables, 'head').readInt16BE(50) === 1;
  const read = (index: number): number => (isLong ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2);
  const count = loca.length / (isLong ? 4 : 2) - 1;
  const offsets = Buffer.alloc(loca.length);
  const outlines: Buffer[] = [];
  let length = 0;
  for (let index = 0; index <= count; index += 1) {
    if (isLong) offsets.writeUInt32BE(length, index * 4);
    else offsets.writeUInt16BE(length / 2, index * 2);
    if (index === count || !kept.has(index)) continue;
    const outline = pad(glyf.subarray(read(index), read(index + 1)));
    outlines.push(outline);
    length += outline.length;
  }
  return [offsets, Buffer.concat(outlines)];
}

function checksum(data: Buffer): number {
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) sum = (sum + data.readUInt32BE(at)) >>> 0;
  return sum;
}

function writeFont(version: Buffer, tables: readonly Table[]): Buffer {
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const head = Buffer.alloc(HEADER + tables.length * TABLE_RECORD);
  version.copy(head);
  [tables.length, power * 16, Math.log2(power), (tables.length - power) * 16].forEach((word, index) =>
    head.writeUInt16BE(word, 4 + index * 2),
  );
  let start = head.length;
  tables.forEach(({ tag, data }, index) => {
    const at = HEADER + index * TABLE_RECORD;
    head.write(tag, at, 'latin1');
    head.writeUInt32BE(checksum(pad(data)), at + 4);
    head.writeUInt32BE(start, at + 8);
    head.writeUInt32BE(data.length, at + 12);
    start += pad(data).length;
  });
  return Buffer.concat([head, ...tables.map(({ data }) => pad(data))]);
}

/**
 * Reduces a TrueType font to the outlines of the given characters. Glyph numbers stay unchanged. Composite glyphs are
 * not supported. Throws if the font lacks a character.
 */
export function subsetFont(font: Buffer, codePoints: readonly number[]): Buffer {
  const tables = readTables(font);
  const subtable = findSubtable(need(tables, 'cmap'));
  const glyphs = codePoints
    .toSorted((one, other) => one - other)
    .map((codePoint) => [codePoint, glyphIndex(subtable, codePoint)] as const);
  const missing = glyphs.find(([, glyph]) => glyph === 0);
  if (missing !== undefined) throw new Error(`the icon font has no character ${missing[0].toString(16)}`);
  const [loca, glyf] = keepOutlines(tables, new Set([0, ...glyphs.map(([, glyph]) => glyph)]));
  const post = Buffer.from(need(tables, 'post').subarray(0, POST_LENGTH));
  post.writeUInt32BE(POST_WITHOUT_NAMES, 0);
  const changed = new Map([
    ['cmap', writeCmap(glyphs)],
    ['loca', loca],
    ['glyf', glyf],
    ['post', post],
  ]);
  const written = [...tables].flatMap(([tag, data]) =>
    KEPT.has(tag) ? [{ tag, data: changed.get(tag) ?? data }] : [],
  );
  return writeFont(font.subarray(0, 4), written);
}

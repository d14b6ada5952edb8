const NEWLINE = 0x0a;

/** Yields the lines that contain a text, newest first, without parsing the others. */
export function* linesWith(bytes: Uint8Array, text: string): Generator<string> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let before = file.length;
  while (before > 0) {
    const hit = file.lastIndexOf(text, before - 1);
    if (hit < 0) return;
    const from = file.lastIndexOf(NEWLINE, hit) + 1;
    const to = file.indexOf(NEWLINE, hit);
    yield file.toString('utf8', from, to < 0 ? file.length : to);
    before = from;
  }
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = ['"', '\\', ',', '[', '{'].map((sign) => sign.charCodeAt(0));

/**
 * Returns an upper bound on the number of values in a JSON text, so that the text can be rejected before parsing: a
 * parsed list of empty objects takes twenty times as much memory as its text. Stops counting at `most` + 1.
 */
export function countValues(json: Uint8Array, most: number): number {
  let count = 1;
  let isText = false;
  for (let at = 0; at < json.length && count <= most; at += 1) {
    const sign = json[at];
    if (sign === QUOTE) isText = !isText;
    else if (isText) at += sign === BACKSLASH ? 1 : 0;
    else if (sign === COMMA || sign === LIST || sign === OBJECT) count += 1;
  }
  return count;
}

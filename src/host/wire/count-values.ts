const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = ['"', '\\', ',', '[', '{'].map((sign) => sign.charCodeAt(0));

/**
 * Returns an upper limit of the number of values in a JSON text before parsing: a list of empty objects takes twenty
 * times its bytes of memory. Stops counting at `most` + 1.
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

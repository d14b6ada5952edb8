const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = ['"', '\\', ',', '[', '{'].map((sign) => sign.charCodeAt(0));

/** How many values can be in there, before it is parsed: a list of empty objects takes twenty times its bytes of memory. It counts no further than `most` + 1. */
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

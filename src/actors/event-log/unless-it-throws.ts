/** Returns null if the call throws: the log continues without it. */
export function unlessItThrows<Value>(call: () => Value): Value | null {
  try {
    return call();
  } catch {
    return null;
  }
}

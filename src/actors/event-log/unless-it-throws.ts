/** Null where the call throws: the log goes on without. */
export function unlessItThrows<Value>(call: () => Value): Value | null {
  try {
    return call();
  } catch {
    return null;
  }
}

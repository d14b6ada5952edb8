/** Returns the result of the call, or null if it throws, so that an error does not stop the log. */
export function nullIfItThrows<Value>(call: () => Value): Value | null {
  try {
    return call();
  } catch {
    return null;
  }
}

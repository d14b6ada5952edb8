/**
 * Calls the listener for each key pressed, including Ctrl-C. Returns a function that stops it. Does nothing without a
 * terminal.
 */
export function onKeys(listener: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  const hear = (typed: Buffer): void => {
    for (const key of typed.toString('utf8')) listener(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', hear).resume();
  return () => {
    stdin.off('data', hear).pause();
    stdin.setRawMode(false);
  };
}

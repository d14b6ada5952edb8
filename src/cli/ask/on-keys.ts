/** Calls with each key as it is typed, Ctrl-C too; where nobody can type, never. Returns what ends it. */
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

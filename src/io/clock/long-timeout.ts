/** `setTimeout` fires at once for anything longer. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls when so many milliseconds are over, also when they are more than a timer of Node can count. Gives what takes it back. */
export function after(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const part = Math.min(left, LONGEST_TIMER);
    timer = setTimeout(() => (left > part ? wait(left - part) : work()), part);
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/**
 * Keeps the head and the tail of a stream of text: at most `limit` characters, and a line that says how many were left
 * out. A character that is cut in half becomes U+FFFD.
 */
export function createExcerpt(limit: number) {
  const forHead = Math.floor(limit / 2);
  const forTail = limit - forHead;
  let head = '';
  let tail = '';
  let dropped = 0;
  const shorten = (): void => {
    const excess = tail.length - forTail;
    if (excess <= 0) return;
    dropped += excess;
    tail = tail.slice(excess);
  };
  return {
    add: (text: string): void => {
      const room = forHead - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      // Shortening the tail at each chunk would be slow, since a slice copies all the text that is kept.
      if (tail.length > 2 * forTail) shorten();
    },
    text: (): string => {
      shorten();
      if (dropped === 0) return head + tail;
      return `${head}\n… ${dropped} characters left out …\n${tail}`.toWellFormed();
    },
  };
}

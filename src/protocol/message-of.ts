/** What a thrown value says. Never throws itself: what is thrown may be anything, also something without a text. */
export function messageOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(text);
  } catch {
    return 'something without a text was thrown';
  }
}

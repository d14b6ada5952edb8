/** Returns the message of a thrown value of any kind. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const text: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(text);
  } catch {
    return 'an error without a message was thrown';
  }
}

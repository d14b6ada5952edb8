/**
 * Returns the message for users about a secret in a prompt. `key` is the alias of the key; null if the text only has
 * the format of a key.
 */
export function secretText({ where, key }: { readonly where: string; readonly key: string | null }): string {
  if (key !== null) return `The key ${key} was found in ${where} and replaced by [key] before the prompt was sent.`;
  return `A text in ${where} has the form of a key that RoboSmith does not know. To refuse such prompts, set "unknown_keys": "refuse" in outgoing.json of your configuration folder.`;
}

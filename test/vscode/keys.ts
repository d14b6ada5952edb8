import type { EditorWindow } from './window.ts';

/** A key as a user enters it. */
interface EnteredKey {
  readonly name: string;
  readonly address: string;
  /** Empty for a server of this machine that needs no key. */
  readonly secret: string;
}

/** Adds a key as a user would: provider, address, name, and the key in a hidden input. */
export async function addKey(window: EditorWindow, { name, address, secret }: EnteredKey): Promise<void> {
  const prompt = (text: string): Promise<void> =>
    window.page.locator('.quick-input-widget .quick-input-message', { hasText: text }).waitFor();
  await window.command('RoboSmith: Add an API Key');
  await window.pick('openai-compatible');
  await prompt('The address of the server');
  await window.type(address);
  await prompt('A name for the key');
  await window.type(name);
  await prompt('The key. It is stored');
  await window.page.locator('.quick-input-widget input[type=password]').waitFor();
  await window.type(secret);
  await window.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** Opens the list of keys and returns the row of the named key. */
export async function keyRow(window: EditorWindow, name: string) {
  await window.command('RoboSmith: Manage API Keys');
  const row = window.page.locator('.quick-input-list .monaco-list-row', { hasText: name });
  await row.waitFor();
  return row;
}

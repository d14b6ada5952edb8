import type { Page } from 'playwright-core';

/**
 * Script that runs in a page and returns everything that the page has stored in the browser, as text. VS Code's server
 * keeps the global state, the state of webviews and the encrypted secrets there.
 */
const READ = `(async () => {
  const asText = (value) =>
    value instanceof ArrayBuffer ? new TextDecoder('latin1').decode(value)
    : ArrayBuffer.isView(value) ? new TextDecoder('latin1').decode(value)
    : typeof value === 'string' ? value
    : JSON.stringify(value) ?? String(value);
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([done(objects.getAllKeys()), done(objects.getAll())]);
      found.push(...keys.map((key, index) => name + '/' + store + '/' + asText(key) + '=' + asText(values[index])));
    }
    database.close();
  }
  for (const [where, storage] of [['localStorage', localStorage], ['sessionStorage', sessionStorage]])
    for (let index = 0; index < storage.length; index += 1) {
      const key = storage.key(index);
      found.push(where + '/' + key + '=' + storage.getItem(key));
    }
  return found.join('\\n');
})()`;

/** Returns everything that a window of VS Code has stored in the browser. */
export const storedInBrowser = (page: Page): Promise<string> => page.evaluate<string>(READ);

/** Returns the HTML documents that a window shows, including those of its webviews. */
export async function shownInBrowser(page: Page): Promise<string> {
  const texts = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')));
  return texts.join('\n');
}

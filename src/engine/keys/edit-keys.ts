import { environmentKeys } from '#io/keys/environment-keys.ts';
import { newId } from '#io/clock/identity.ts';
import { type BookedKey, isAlias, type KeyBook, mayBeKeyless, readKeyBook, writeKeyBook } from '#io/keys/key-book.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { ANY_PROVIDER, providerNamed } from '#protocol/provider.ts';
import type { KeyPlaces } from './load-keys.ts';

/** A key as entered by a person. */
export interface NewKey {
  readonly alias: string;
  /** Null for the provider whose name is the alias. */
  readonly provider: string | null;
  readonly baseUrl: string | null;
  readonly account: string | null;
  readonly pool: string | null;
  /** True to replace a key of the same name. */
  readonly replace: boolean;
}

const refused = (message: string, ...next: readonly string[]): RoboSmithError =>
  new RoboSmithError('usage', message, { next: next.length === 0 ? ['robosmith keys --help'] : next });

const LONGEST = 4_096;

/** Trims a secret that was read from a file or the clipboard. Throws if it is not a valid key. */
function secretOf(given: string): string {
  const secret = given.trim();
  if (secret === '') throw refused('No key was entered, so nothing was stored.', 'robosmith keys add --help');
  if (secret.length > LONGEST || /[^\x21-\x7e]/.test(secret))
    throw refused("This is not a key: it contains spaces, line breaks or other characters that keys don't have.");
  return secret;
}

function addressOf(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refused(`"${text}" is not an address: write https://host/v1.`);
  if (url.username !== '' || url.password !== '')
    throw refused('The URL contains a password. Remove it; the key is prompted for.');
  return text;
}

function keyOf({ alias, provider, baseUrl, account, pool }: NewKey): BookedKey {
  if (!isAlias(alias))
    throw refused(
      `${JSON.stringify(alias)} is not a valid name for a key: use lower-case letters, digits, "-", "_" and ".", for example work.`,
    );
  const known = providerNamed(provider ?? alias);
  if (known === null)
    throw refused(
      provider === null
        ? `The provider of key ${alias} is missing: use one of ${ANY_PROVIDER}.`
        : `"${provider}" is not a provider. Use one of ${ANY_PROVIDER}.`,
      `robosmith keys add ${alias} --provider openai`,
    );
  const address = addressOf(baseUrl);
  if (known === 'openai-compatible' && address === null)
    throw refused(
      'An openai-compatible server needs a URL.',
      `robosmith keys add ${alias} --provider openai-compatible --base-url https://host/v1`,
    );
  return { alias, provider: known, baseUrl: address, account, pool };
}

/** Completes the settings of a replaced key with its previous ones. */
function whole(given: NewKey, before: BookedKey | undefined): BookedKey {
  const { provider, baseUrl, account, pool } = given;
  return keyOf({
    ...given,
    provider: provider ?? before?.provider ?? null,
    baseUrl: baseUrl ?? before?.baseUrl ?? null,
    account: account ?? before?.account ?? null,
    pool: pool ?? before?.pool ?? null,
  });
}

const bookedAs = (name: string, places: KeyPlaces): BookedKey | undefined =>
  readKeyBook(places).keys.find(({ alias }) => alias === name);

/**
 * Returns the key as it will be stored. Throws for invalid settings, so that the user is not asked for the secret
 * first.
 */
export function checkNewKey(key: NewKey, places: KeyPlaces): BookedKey {
  const variable = environmentKeys(places.environment).variables.get(key.alias);
  if (variable !== undefined)
    throw refused(`${key.alias} is the key in ${variable}: choose another name.`, 'robosmith keys');
  const before = bookedAs(key.alias, places);
  if (before !== undefined && !key.replace)
    throw refused(
      `There is a key ${key.alias} already.`,
      `robosmith keys add ${key.alias} --replace`,
      'robosmith keys',
    );
  return whole(key, before);
}

const change = (places: KeyPlaces, how: (book: KeyBook) => KeyBook): void =>
  writeKeyBook(places, how(readKeyBook(places)), newId(6));

/**
 * Stores the secret first, so that every listed key has one. An empty secret is accepted for a server on this computer:
 * calls are sent to it without a key. Throws `no_keychain`.
 */
export async function addKey(given: NewKey, secret: string, places: KeyPlaces): Promise<void> {
  const checked = checkNewKey(given, places);
  const isKeyless = secret.trim() === '' && mayBeKeyless(checked);
  const before = bookedAs(checked.alias, places);
  if (!isKeyless) await places.storage.store(checked.alias, secretOf(secret));
  else if (before !== undefined && before.keyless !== true) await places.storage.delete(checked.alias);
  const key: BookedKey = isKeyless ? { ...checked, keyless: true } : checked;
  change(places, (book) => ({ ...book, keys: [...book.keys.filter(({ alias }) => alias !== key.alias), key] }));
}

const unknown = (alias: string): RoboSmithError =>
  refused(`There is no key named ${JSON.stringify(alias)}.`, 'robosmith keys');

/** Removes the secret first: if that fails, the key stays listed. */
export async function removeKey(alias: string, places: KeyPlaces): Promise<void> {
  const variable = environmentKeys(places.environment).variables.get(alias);
  const booked = bookedAs(alias, places);
  if (booked === undefined && variable !== undefined)
    throw refused(
      `${alias} is the key in ${variable}: remove it from the environment, or disable it.`,
      `robosmith keys disable ${alias}`,
    );
  if (booked === undefined) throw unknown(alias);
  if (booked.keyless !== true) await places.storage.delete(alias);
  change(places, ({ keys, disabled, order }) => ({
    keys: keys.filter((key) => key.alias !== alias),
    disabled: disabled.filter((one) => one !== alias),
    order: order.map((tier) => tier.filter((one) => one !== alias)).filter((tier) => tier.length > 0),
  }));
}

function checkKnown(aliases: readonly string[], places: KeyPlaces): void {
  const known = new Set([
    ...environmentKeys(places.environment).variables.keys(),
    ...readKeyBook(places).keys.map(({ alias }) => alias),
  ]);
  const stranger = aliases.find((alias) => !known.has(alias));
  if (stranger !== undefined) throw unknown(stranger);
}

export function setKeyDisabled(alias: string, isDisabled: boolean, places: KeyPlaces): void {
  checkKnown([alias], places);
  change(places, (book) => ({
    ...book,
    disabled: [...book.disabled.filter((one) => one !== alias), ...(isDisabled ? [alias] : [])],
  }));
}

/** Sets the tiers of keys, the first tier to be used first. */
export function orderKeys(order: KeyBook['order'], places: KeyPlaces): void {
  const all = order.flat();
  checkKnown(all, places);
  const twice = all.find((alias, index) => all.indexOf(alias) !== index);
  if (twice !== undefined) throw refused(`${twice} is named twice.`);
  change(places, (book) => ({ ...book, order }));
}

import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { providerNamed } from '#protocol/provider.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { parseJsonObject } from '#protocol/json.ts';
import type { KeyDefinition } from '#protocol/key-pool.ts';
import { messageOf } from '#protocol/message-of.ts';
import { isOnThisComputer } from '#protocol/local-server.ts';
import { readIfThere, replaceFile } from '../files/durable-file.ts';

/** A key whose secret is in the system's keychain. */
export type BookedKey = KeyDefinition & { readonly pool: string | null };

/** The user's settings for keys, without secrets: `keys.json` in the user's own folder. */
export interface KeyBook {
  readonly keys: readonly BookedKey[];
  /** The aliases of disabled keys, including keys of the environment. */
  readonly disabled: readonly string[];
  /** The order of keys for pools without tiers of their own. Keys in no tier come last. */
  readonly order: readonly (readonly string[])[];
}

export interface KeyBookPlace {
  readonly calls: FileCalls;
  readonly folder: string;
}

const EMPTY: KeyBook = { keys: [], disabled: [], order: [] };

export const isAlias = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(text);

const fileOf = ({ folder }: KeyBookPlace): string => path.join(folder, 'keys.json');

const wrong = (place: KeyBookPlace, why: string): RoboSmithError =>
  new RoboSmithError(
    'io',
    `${fileOf(place)} can't be used: ${why}. Correct it, or move it away; it contains no secrets.`,
  );

/** Returns whether calls may be sent to the key's server without a secret. */
export const mayBeKeyless = ({ provider, baseUrl }: Pick<KeyDefinition, 'provider' | 'baseUrl'>): boolean =>
  provider === 'openai-compatible' && isOnThisComputer(baseUrl);

const isAliases = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isAlias);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function keyOf(value: unknown): BookedKey | null {
  if (typeof value !== 'object' || value === null) return null;
  const { alias, provider, base_url: baseUrl, account, pool, keyless } = value as Readonly<Record<string, unknown>>;
  const known = providerNamed(provider);
  if (!isAlias(alias) || known === null) return null;
  const key = { alias, provider: known, baseUrl: textOf(baseUrl), account: textOf(account), pool: textOf(pool) };
  return keyless === true && mayBeKeyless(key) ? { ...key, keyless } : key;
}

/**
 * Reads the key book; a missing file gives an empty one. Throws `io` if the file is invalid, rather than treating it as
 * empty.
 */
export function readKeyBook(place: KeyBookPlace): KeyBook {
  let bytes: Uint8Array | null;
  try {
    bytes = readIfThere(place.calls, fileOf(place));
  } catch (thrown) {
    throw wrong(place, messageOf(thrown));
  }
  if (bytes === null) return EMPTY;
  const fields = parseJsonObject(new TextDecoder().decode(bytes));
  if (fields === null) throw wrong(place, 'it is not a JSON object');
  const { version, keys = [], disabled = [], order = [] } = fields;
  if (version !== 1) throw wrong(place, 'its "version" is not supported');
  const read = Array.isArray(keys) ? keys.map(keyOf) : [null];
  const known = read.filter((key) => key !== null);
  if (known.length < read.length) throw wrong(place, `"keys" has an invalid entry`);
  if (new Set(known.map(({ alias }) => alias)).size < known.length) throw wrong(place, 'two keys have the same name');
  if (!isAliases(disabled)) throw wrong(place, '"disabled" is not a list of names');
  if (!Array.isArray(order) || !order.every(isAliases)) throw wrong(place, '"order" is not a list of lists of names');
  return { keys: known, disabled, order };
}

export function writeKeyBook(place: KeyBookPlace, { keys, disabled, order }: KeyBook, unique: string): void {
  const document = {
    version: 1,
    keys: keys.map(({ baseUrl, ...key }) => ({ ...key, base_url: baseUrl })),
    disabled,
    order,
  };
  try {
    place.calls.makeFolder(place.folder);
    replaceFile(place.calls, fileOf(place), Buffer.from(`${JSON.stringify(document, null, 2)}\n`), unique);
  } catch (thrown) {
    throw new RoboSmithError('io', `${fileOf(place)} can't be written: ${messageOf(thrown)}`, {}, thrown);
  }
}

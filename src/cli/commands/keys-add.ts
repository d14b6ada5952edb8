import { addKey, checkNewKey, keyPlaces, mayBeKeyless, type NewKey } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printKeyChange } from '../print/keys.ts';
import type { JsonOption } from '../print/refused.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface KeysAddOptions extends JsonOption {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly account?: string;
  readonly pool?: string;
  readonly replace?: true;
}

/** Stores a key in the keychain, and its settings in the user's configuration folder. */
export async function keysAdd(alias: string, options: KeysAddOptions, io: CliIo): Promise<number> {
  const { provider = null, baseUrl = null, account = null, pool = null, replace = false } = options;
  const key: NewKey = { alias, provider, baseUrl, account, pool, replace };
  const places = keyPlaces(io.env, io.keychain);
  const checked = checkNewKey(key, places);
  const hint = mayBeKeyless(checked) ? ' (press Enter if there is none)' : '';
  const secret = await io.readSecret(`The key for ${checked.baseUrl ?? checked.provider}${hint}`);
  if (secret === null) throw usageError('No key was entered, so nothing was stored.', [`robosmith keys add --help`]);
  await addKey(key, secret, places);
  printKeyChange(replace ? 'replaced' : 'added', [alias], [`robosmith keys test ${alias}`], options, io);
  return 0;
}

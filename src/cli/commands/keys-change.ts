import { keyPlaces, orderKeys, removeKey, setKeyDisabled } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printKeyChange } from '../print/keys.ts';
import type { JsonOption } from '../print/refused.ts';
import { noteKeyTests } from '../project/note-key-tests.ts';

const LIST = ['robosmith keys'];

export async function keysRemove(alias: string, options: JsonOption, io: CliIo): Promise<number> {
  await removeKey(alias, keyPlaces(io.env, io.keychain));
  printKeyChange('removed', [alias], LIST, options, io);
  return 0;
}

/** Sets the order of keys. Each word is a tier; keys joined by a comma are used in turn. */
export function keysOrder(words: readonly string[], options: JsonOption, io: CliIo): number {
  const tiers = words.map((word) => word.split(',').filter((alias) => alias !== ''));
  orderKeys(
    tiers.filter((tier) => tier.length > 0),
    keyPlaces(io.env, io.keychain),
  );
  printKeyChange('ordered', tiers.flat(), LIST, options, io);
  return 0;
}

export async function keysSwitch(
  alias: string,
  verb: 'disable' | 'enable',
  options: JsonOption,
  io: CliIo,
): Promise<number> {
  setKeyDisabled(alias, verb === 'disable', keyPlaces(io.env, io.keychain));
  if (verb === 'enable') await noteKeyTests([{ alias, failure: null }], io);
  printKeyChange(`${verb}d`, [alias], LIST, options, io);
  return 0;
}

import { keyPlaces, listKeys } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { keyDocument, printKeys } from '../print/keys.ts';
import type { JsonOption } from '../print/refused.ts';
import { projectHere } from '../project/in-project.ts';

/** Lists the user's keys with their state in the current project. */
export async function keys(options: JsonOption, io: CliIo): Promise<number> {
  const listing = await listKeys(keyPlaces(io.env, io.keychain), await projectHere(io));
  if (options.json === true)
    printJson({ ok: true, keys: listing.keys.map(keyDocument), problems: listing.problems }, io.stdout);
  else printKeys(listing, io);
  return 0;
}

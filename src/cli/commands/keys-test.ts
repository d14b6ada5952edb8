import { keyPlaces, notedTests, type TestedKey, testKeys } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import type { TestedKeyDocument } from '../print/json-documents.ts';
import { printTests } from '../print/key-tests.ts';
import type { JsonOption } from '../print/refused.ts';
import { noteKeyTests } from '../project/note-key-tests.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface KeysTestOptions extends JsonOption {
  readonly model?: string;
}

const documentOf = ({ key, result, said, status, retryAt, models }: TestedKey): TestedKeyDocument => ({
  alias: key.alias,
  provider: key.provider,
  result,
  said,
  status,
  retry_at: retryAt,
  models,
});

/**
 * Tests each key with the cheapest request of its provider, and notes the result in this project: a key that works is
 * released from cooling and errors, and one that was rejected is not used.
 */
export async function keysTest(aliases: readonly string[], options: KeysTestOptions, io: CliIo): Promise<number> {
  const { tested, unknown, problems } = await testKeys(aliases, options.model ?? null, keyPlaces(io.env, io.keychain));
  const [stranger] = unknown;
  if (stranger !== undefined)
    throw usageError(`There is no key named ${JSON.stringify(stranger)}.`, ['robosmith keys']);
  const good = tested.filter(({ result }) => result === 'good');
  await noteKeyTests(notedTests(tested), io);
  const ok = good.length === tested.length;
  if (options.json === true) printJson({ ok, tested: tested.map(documentOf), problems }, io.stdout);
  else printTests(tested, options.model ?? null, problems, io);
  return ok ? 0 : 1;
}

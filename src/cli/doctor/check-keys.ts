import { existsSync } from 'node:fs';
import { keyPlaces, type ListedKey, listKeys, userRulesFile } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { WorkerDefinition } from '#protocol/graph.ts';
import { isLocalServer } from '#protocol/local-server.ts';
import { PUBLIC_PROVIDERS } from '#protocol/provider.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { sourceText } from '../print/keys.ts';
import { whenText } from '../print/time-text.ts';
import { ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';
import { shownFromHome } from '../names/shown-path.ts';

function checkOf(key: ListedKey): Check {
  const { alias, provider, baseUrl, disabled, hasSecret, keyless, report } = key;
  const source = sourceText(key);
  const name = `key ${alias}: ${baseUrl ?? provider}, from ${source === 'keychain' ? 'the keychain' : source}${keyless === true ? ', needs no key' : ''}`;
  if (disabled === true) return ok('keys', `${name}, disabled`);
  if (!hasSecret && keyless !== true)
    return warn('keys', `${name}, without a secret`, `Type \`robosmith keys add ${alias} --replace\`.`);
  if (report === null || report.state === 'healthy' || report.state === 'half_open') return ok('keys', name);
  const until = report.until === null ? '' : ` until ${whenText(report.until)}`;
  return warn('keys', `${name}, ${report.state}${until}`, `Type \`robosmith keys test ${alias}\` to ask its provider.`);
}

function needsKey({ kind, settings }: WorkerDefinition): boolean {
  const { provider, base_url: url } = settings;
  if (kind !== 'ai') return false;
  const isPublic = PUBLIC_PROVIDERS.some((one) => one === provider);
  return isPublic || typeof url !== 'string' || !isLocalServer('openai-compatible', url);
}

/** Lists the keys and their state in this project. Contacts no provider and shows no secret. */
export async function checkKeys(
  workflow: CompiledWorkflow | null,
  root: string | null,
  io: CliIo,
): Promise<readonly Check[]> {
  const { keys, problems } = await listKeys(keyPlaces(io.env, io.keychain), root);
  const warnings = problems.map((problem) => warn('keys', problem, 'Type `robosmith keys` to list your keys.'));
  if (keys.length > 0) return [...keys.map(checkOf), ...warnings];
  const needed = workflow?.graph.workers.some(needsKey) === true;
  const none = needed
    ? warn('keys', 'the manifest calls models, and there is no key', 'Type `robosmith keys add --help`.')
    : ok('keys', 'no keys for models');
  return [none, ...warnings];
}

/** Reports the file with the user's exceptions to the rules for secrets. */
export function checkSecrets(io: CliIo): Check {
  const file = userRulesFile(io.env);
  const exceptions = existsSync(file) ? 'your exceptions are in' : 'you can write exceptions into';
  return ok('secrets', `.env*, keys and certificates stay on this machine; ${exceptions} ${shownFromHome(file, io)}`);
}

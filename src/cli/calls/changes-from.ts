import path from 'node:path';
import { readRequestText, requestText } from '#engine/authoring.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { CallChanges } from '#protocol/host.ts';
import { ANY_PROVIDER, providerNamed } from '#protocol/provider.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { readInput, readText } from '../run/read-input.ts';
import { usageError } from '../terminal/usage-error.ts';
import { editText } from './edit-text.ts';

export interface ChangeFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly temperature?: string;
  readonly setInstructions?: string;
  readonly message?: string;
  readonly request?: string;
  readonly edit?: true;
}

const again = (call: string, more: string): readonly string[] => [`robosmith calls rerun ${call} ${more}`];

/**
 * Returns the provider, model and base URL that the options select. Another provider requires a model, and the logged
 * base URL is not used for it.
 */
function whereTo({ call, request }: CallRecord, { provider, model, baseUrl }: ChangeFlags): CallChanges {
  const known = providerNamed(provider);
  if (provider !== undefined && known === null)
    throw usageError(`"${provider}" is not a provider. Use one of ${ANY_PROVIDER}.`, again(call, '--provider openai'));
  if (baseUrl !== undefined && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : ''))
    throw usageError(`"${baseUrl}" is not the URL of a server.`, again(call, '--base-url http://localhost:11434/v1'));
  const changes: CallChanges = {
    ...(known === null ? {} : { provider: known }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl !== undefined ? { baseUrl } : known !== null && known !== request.provider ? { baseUrl: null } : {}),
  };
  if (known !== null && known !== request.provider && model === undefined)
    throw usageError(
      `${known} has no model "${request.model}". Name a model with --model.`,
      again(call, `--provider ${known} --model <model>`),
    );
  if (known === 'openai-compatible' && (changes.baseUrl ?? request.base_url) === null)
    throw usageError('An openai-compatible server needs a URL.', again(call, '--base-url http://localhost:11434/v1'));
  return changes;
}

function temperatureOf({ temperature }: ChangeFlags, call: string): CallChanges {
  if (temperature === undefined) return {};
  const value = temperature.trim() === '' ? Number.NaN : Number(temperature);
  if (Number.isFinite(value) && value >= 0) return { temperature: value };
  throw usageError(`"${temperature}" is not a temperature.`, again(call, '--temperature 0.2'));
}

/** Returns the edited text of the request; null if it was not edited. */
async function edited(origin: CallRecord, flags: ChangeFlags, io: CliIo): Promise<string | null> {
  if (flags.edit === true && flags.request !== undefined)
    throw usageError("--edit and --request can't be combined.", ['robosmith calls rerun --help']);
  if (flags.edit !== true && flags.request === undefined) return null;
  const before = requestText(origin);
  const after =
    flags.request === undefined
      ? await editText(before, `${origin.call}.txt`, io)
      : await readText(path.resolve(io.cwd, flags.request), io);
  const read = readRequestText(after, before);
  if (read.ok) return after;
  throw usageError(`Nothing was sent: ${read.problem}.`, again(origin.call, '--edit'));
}

export interface ChangedRequest {
  /** The edited text; null if it was not edited. */
  readonly request: string | null;
  /** The changes of single options, which override the text. */
  readonly changes: CallChanges;
}

/** Returns what the options change in a logged request. */
export async function changesFrom(
  origin: CallRecord,
  flags: ChangeFlags,
  root: string,
  io: CliIo,
): Promise<ChangedRequest> {
  const named = { ...whereTo(origin, flags), ...temperatureOf(flags, origin.call) };
  const instructions = await readInput(flags.setInstructions, io, root);
  const message = await readInput(flags.message, io, root);
  return {
    request: await edited(origin, flags, io),
    changes: {
      ...named,
      ...(instructions === null ? {} : { instructions }),
      ...(message === null ? {} : { message }),
    },
  };
}

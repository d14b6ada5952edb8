import path from 'node:path';
import { readRequestText, requestText, type RequestChanges } from '#engine/authoring.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { ProviderName } from '#protocol/ai-call.ts';
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

const PROVIDERS: readonly ProviderName[] = ['openai', 'anthropic', 'google', 'openai-compatible'];

const again = (call: string, more: string): readonly string[] => [`robosmith calls rerun ${call} ${more}`];

/**
 * Returns the provider, model and base URL that the options select. Another provider requires a model, and the logged
 * base URL is not used for it.
 */
function whereTo({ call, request }: CallRecord, { provider, model, baseUrl }: ChangeFlags): RequestChanges {
  const known = PROVIDERS.find((one) => one === provider);
  if (provider !== undefined && known === undefined)
    throw usageError(
      `"${provider}" is not a provider. Use one of ${PROVIDERS.join(', ')}.`,
      again(call, '--provider openai'),
    );
  if (baseUrl !== undefined && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : ''))
    throw usageError(`"${baseUrl}" is not the URL of a server.`, again(call, '--base-url http://localhost:11434/v1'));
  const changes: RequestChanges = {
    ...(known === undefined ? {} : { provider: known }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl !== undefined
      ? { baseUrl }
      : known !== undefined && known !== request.provider
        ? { baseUrl: null }
        : {}),
  };
  if (known !== undefined && known !== request.provider && model === undefined)
    throw usageError(
      `${known} has no model "${request.model}". Name a model with --model.`,
      again(call, `--provider ${known} --model <model>`),
    );
  if (known === 'openai-compatible' && (changes.baseUrl ?? request.base_url) === null)
    throw usageError('An openai-compatible server needs a URL.', again(call, '--base-url http://localhost:11434/v1'));
  return changes;
}

function temperatureOf({ temperature }: ChangeFlags, call: string): RequestChanges {
  if (temperature === undefined) return {};
  const value = temperature.trim() === '' ? Number.NaN : Number(temperature);
  if (Number.isFinite(value) && value >= 0) return { temperature: value };
  throw usageError(`"${temperature}" is not a temperature.`, again(call, '--temperature 0.2'));
}

async function edited(origin: CallRecord, flags: ChangeFlags, io: CliIo): Promise<RequestChanges> {
  if (flags.edit === true && flags.request !== undefined)
    throw usageError("--edit and --request can't be combined.", ['robosmith calls rerun --help']);
  if (flags.edit !== true && flags.request === undefined) return {};
  const before = requestText(origin);
  const after =
    flags.request === undefined
      ? await editText(before, `${origin.call}.txt`, io)
      : await readText(path.resolve(io.cwd, flags.request), io);
  const read = readRequestText(after, before);
  if (read.ok) return read.changes;
  throw usageError(`Nothing was sent: ${read.problem}.`, again(origin.call, '--edit'));
}

/** Returns the changes that the options make to a logged request. Single options override the edited text. */
export async function changesFrom(
  origin: CallRecord,
  flags: ChangeFlags,
  root: string,
  io: CliIo,
): Promise<RequestChanges> {
  const { call } = origin;
  const named = { ...whereTo(origin, flags), ...temperatureOf(flags, call) };
  const [instructions, message] = [
    await readInput(flags.setInstructions, io, root),
    await readInput(flags.message, io, root),
  ];
  return {
    ...(await edited(origin, flags, io)),
    ...named,
    ...(instructions === null ? {} : { instructions }),
    ...(message === null ? {} : { message }),
  };
}

import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { FAIL_DEFAULT, isSignal } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { actualType, has, isList, isObject, readFlag, readList } from '../1-parse/json-reader.ts';
import type { ResolvedBlock } from '../2-resolve/resolved-manifest.ts';

/** Reports a shell command with several arguments: the shell would join them and parse them again, by other rules. */
export function checkShellCommand(settings: JsonObject, owner: string, { report }: Diagnose): void {
  const command = readList(settings, 'command');
  if (readFlag(settings, 'shell') !== true || command === null || command.length === 1) return;
  report('RS2029', { container: settings, member: 'command' }, { owner, actual: String(command.length) });
}

/** The values that a worker accepts for one of its settings. */
interface Setting {
  readonly expected: string;
  /** True if the message for an invalid string quotes the string instead of naming its type. */
  readonly showsText?: true;
  /** Returns whether an entry of a list or an object is valid. */
  readonly entry?: (value: JsonValue, key: string) => boolean;
  readonly fits: (value: JsonValue) => boolean;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';

const isWord = (value: JsonValue): boolean => isText(value) && value !== '';

const isRow = (signal: JsonValue, code: string): boolean =>
  /^(?:[0-9]{1,10}|\*)$/.test(code) && isSignal(signal) && signal !== FAIL_DEFAULT;

const TEXT: Setting = { expected: 'a string', fits: isText };

const FLAG: Setting = {
  expected: 'true or false',
  fits: (value) => [true, false, 'TRUE', 'FALSE'].some((one) => one === value),
};

const isCount = (value: JsonValue | undefined): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1;

const RULE: Setting = {
  expected: '"all", "any", "majority", or { "at_least": n } with n from 1',
  showsText: true,
  fits: (value) =>
    ['all', 'any', 'majority'].some((rule) => rule === value) ||
    (isObject(value) && Object.keys(value).length === 1 && isCount(value['at_least'])),
};

const SIGNAL: Setting = {
  expected: 'a signal, such as "SIGNAL:SUCCESS", but not SIGNAL:FAIL_DEFAULT',
  showsText: true,
  fits: (value) => isSignal(value) && value !== FAIL_DEFAULT,
};

/** The settings that built-in workers read. A worker that is missing here has no settings, or checks them itself. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  'Internal:Command': {
    command: {
      expected: 'a list of strings, the program first',
      entry: isWord,
      fits: (value) => isList(value) && value.length > 0,
    },
    cwd: TEXT,
    env: { expected: 'a list of names of environment variables', entry: isText, fits: isList },
    shell: FLAG,
    sandbox: FLAG,
    signals: {
      expected: 'an object that maps exit codes, or `*`, to signals',
      entry: isRow,
      fits: isObject,
    },
  },
  'Internal:FileSystemWriter': { rewrite: FLAG, shorten: FLAG },
  'Internal:DocumentationWriter': { rewrite: FLAG, shorten: FLAG },
  'Internal:GitCommit': { message: TEXT, hooks: FLAG },
  'Internal:Verdict': { rule: RULE, signal: SIGNAL, failed_as: SIGNAL },
  'Internal:PullRequest': { title: TEXT, body: TEXT, draft: FLAG },
  'Internal:Diff': {
    since: {
      expected: '`"base"`, where the session started, or `"commit"`, the last commit',
      fits: (value) => value === 'base' || value === 'commit',
    },
    paths: { expected: 'a list of files and folders', entry: isWord, fits: isList },
    max_bytes: {
      expected: 'a whole number from 1 to 1000000',
      fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000,
    },
  },
};

/** Describes an invalid value for a message, such as "an empty list". Returns null for a valid value. */
function faultOf(value: JsonValue, { fits, entry, showsText }: Setting): string | null {
  if (showsText === true && typeof value === 'string') return fits(value) ? null : JSON.stringify(value.slice(0, 80));
  if (!fits(value)) return isList(value) && value.length === 0 ? 'an empty list' : actualType(value);
  if (entry === undefined || typeof value !== 'object' || value === null) return null;
  const wrong = Object.entries(value).find(([key, one]) => !entry(one, key));
  if (wrong === undefined) return null;
  const [key, one] = wrong;
  const what = typeof one === 'string' ? JSON.stringify(one) : actualType(one);
  return isList(value) ? `a list with ${what} in it` : `an object with ${what} for ${JSON.stringify(key)}`;
}

/** Reports settings in a block's `params` that its built-in worker does not accept. */
export function checkParams({ written, id }: ResolvedBlock, worker: string, params: JsonObject, diagnose: Diagnose) {
  const { report, nearest } = diagnose;
  const settings = SETTINGS[worker];
  if (settings === undefined) return;
  for (const [key, setting] of Object.entries(settings)) {
    const value = has(params, key) ? params[key] : undefined;
    const actual = value === undefined ? null : faultOf(value, setting);
    const { expected } = setting;
    if (actual !== null)
      report('RS2037', { container: params, member: key }, { key, block: id, worker, actual, expected });
  }
  const names = Object.keys(settings);
  const known = names.map((name) => `\`${name}\``).join(', ');
  for (const key of Object.keys(params).filter((one) => !names.includes(one) && !one.startsWith('x-')))
    report(
      'RS4010',
      { container: params, member: key },
      { key, block: id, worker, known },
      { near: nearest(key, names) },
    );
  const member = has(written, 'params') ? 'params' : 'worker';
  if (worker === 'Internal:Verdict' && !has(params, 'rule'))
    report('RS2038', { container: written, member }, { block: id });
  if (worker !== 'Internal:Command') return;
  checkShellCommand(params, id, diagnose);
  if (!has(params, 'command')) report('RS4009', { container: written, member }, { block: id });
}

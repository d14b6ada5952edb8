import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { PRESETS } from '#workers/index.ts';
import { AGENTS } from '#protocol/approvals.ts';

/** Quotes each argument of a command, so that different commands never look the same. */
export const argvText = (value: JsonValue): string =>
  Array.isArray(value)
    ? value.map((part: JsonValue) => (typeof part === 'string' ? shellWord(part) : JSON.stringify(part))).join(' ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

const isOff = (flag: JsonValue | undefined): boolean => flag === false || flag === 'FALSE';

/** Returns a list with the description of a setting; an empty list if the setting is absent. */
const said = (value: JsonValue | undefined, text: (value: string) => string): readonly string[] =>
  value === undefined || value === null ? [] : [text(argvText(value))];

/** Says what agents with these approvals do without asking. */
const APPROVAL_TEXTS: Readonly<Record<string, string>> = {
  sandboxed: 'edit, and run any command in a sandbox,',
  default: 'edit, and run any command in a sandbox if this machine can make one,',
};

export const IN_SANDBOX = '(in a sandbox)';

/** Describes a command with every setting that changes what it does. */
export function commandText({
  command,
  args,
  approvals,
  shell,
  cwd,
  env,
  sandbox,
  network,
  state,
}: JsonObject): string {
  const line = isOn(shell) && Array.isArray(command) ? command.map(String).join(' ') : null;
  return [
    line ?? argvText(command ?? ''),
    ...said(args, (text) => text),
    ...(line === null ? [] : ['(through the shell)']),
    ...said(approvals, (text) => `(may ${APPROVAL_TEXTS[text] ?? text} without asking)`),
    ...(isOn(sandbox) ? [IN_SANDBOX] : []),
    ...said(network, (text) => `(its commands may reach ${text})`),
    ...said(state, (text) => `(may write ${text})`),
    ...said(cwd, (text) => `(in ${text})`),
    ...said(env, (text) => `(with the environment variables ${text})`),
  ].join(' ');
}

/** Describes an agent with its program, model and permissions. */
export function agentText(settings: JsonObject): string {
  const { preset: named, command, model, code_analysis: analysis } = settings;
  const preset = AGENTS.find((one) => one === named);
  const { approvals = preset !== undefined && PRESETS[preset].closesNetwork ? 'default' : 'edit' } = settings;
  const program = command ?? (preset === undefined ? argvText(named ?? '') : [PRESETS[preset].program]);
  return [
    commandText({ ...settings, command: program, approvals }),
    ...said(named, (text) => `(agent ${text})`),
    ...said(model, (text) => `(model ${text})`),
    ...(preset === undefined || !PRESETS[preset].takesServer || isOff(analysis) ? [] : ['(with code analysis)']),
  ].join(' ');
}

/** Describes a model: it costs money, and project data is sent to its address. */
export function modelText({ provider, model, base_url: url, pool, fallback }: JsonObject): string {
  return [
    `model ${[provider, model].map((one) => argvText(one ?? '')).join(' ')}`,
    ...said(url, (text) => `at ${text}`),
    ...said(pool, (text) => `(keys of the pool ${text})`),
    ...said(fallback, (text) => `(fallback ${text})`),
  ].join(' ');
}

/** Returns the workers that blocks use, including repair workers. */
export function workersOf(blocks: readonly GraphBlock[]): ReadonlySet<string> {
  return new Set(
    blocks.flatMap(({ worker, recovery }) => [
      worker,
      ...Object.values(recovery).flatMap((policies) =>
        policies.flatMap((one) => (one.policy === 'repair' ? [one.worker] : [])),
      ),
    ]),
  );
}

export const isProcess = ({ kind }: WorkerDefinition): boolean => kind === 'command' || kind === 'agent';

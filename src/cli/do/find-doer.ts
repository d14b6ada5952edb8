import { AGENT_PRESETS, findSandboxMaker, keyPlaces, type ListedKey, listKeys } from '#engine/authoring.ts';
import { AGENTS, type AgentName } from '#protocol/approvals.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { providerNamed, PROVIDERS } from '#protocol/provider.ts';
import { sandboxTrouble } from '#protocol/sandbox.ts';
import { firstInstalled, isInstalled } from '../doctor/installed-agents.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { commandArgv, commandText } from './command-argv.ts';
import type { Doer } from './workflow-text.ts';

interface DoerFlags {
  readonly agent?: string;
  readonly model?: string;
}

const isAgent = (name: string): name is AgentName => AGENTS.some((one) => one === name);

const HELP = ['robosmith do --help'];

const usable = ({ disabled, hasSecret, keyless }: ListedKey): boolean =>
  disabled !== true && (hasSecret || keyless === true);

/** Returns a model that is called with a key of the user. There is no default model: they change too often. */
function modelOf({ provider, baseUrl, alias }: ListedKey, model: string | undefined): Doer {
  if (model !== undefined) return { kind: 'model', provider, model, baseUrl };
  throw usageError(
    `The key "${alias}" of ${provider} can do the work, but no model is named. Add --model with the name that ${provider} gives it.`,
    [`robosmith do "..." --agent ${provider} --model <name>`],
  );
}

function programOf(command: readonly string[], model: string | undefined): Doer {
  if (model === undefined) return { kind: 'program', command };
  throw usageError('--model has no effect on a command of yours. Name the model in the command.', HELP);
}

/** Returns a coding agent, which works in a sandbox where this machine can make one that keeps it from the network. */
async function agentOf(preset: AgentName, model: string | undefined): Promise<Doer> {
  const isSandboxed = AGENT_PRESETS[preset].closesNetwork && sandboxTrouble(await findSandboxMaker(), preset) === null;
  return { kind: 'agent', preset, model: model ?? null, isSandboxed };
}

async function keysOf(io: CliIo): Promise<readonly ListedKey[]> {
  const { keys } = await listKeys(keyPlaces(io.env, io.keychain), null);
  return keys.filter(usable);
}

async function named(name: string, model: string | undefined, io: CliIo): Promise<Doer> {
  if (isAgent(name)) {
    if (await isInstalled(name, io)) return agentOf(name, model);
    throw usageError(`${name} is not installed. To install it: ${AGENT_PRESETS[name].install}`, HELP);
  }
  const provider = providerNamed(name);
  const command = provider === null && /[\s/\\]/.test(name) ? commandArgv(name, io.platform) : null;
  if (command !== null) return programOf(command, model);
  if (provider === null)
    throw usageError(
      `There is no agent "${name}".${didYouMean(name, [...AGENTS, ...PROVIDERS])} Name ${AGENTS.join(', ')}, a provider of models that you have a key for, or a command that reads a prompt, such as "node agent.mjs".`,
      HELP,
    );
  const key = (await keysOf(io)).find((one) => one.provider === provider);
  if (key === undefined) throw usageError(`You have no key for ${provider}.`, ['robosmith keys add --help']);
  return modelOf(key, model);
}

/** Returns who does the work: the named one, else the first installed coding agent, else a model with a key. */
export async function findDoer({ agent, model }: DoerFlags, io: CliIo): Promise<Doer> {
  if (agent !== undefined) return named(agent, model, io);
  const installed = await firstInstalled(io);
  if (installed !== null) return agentOf(installed, model);
  const [key] = await keysOf(io);
  if (key !== undefined) return modelOf(key, model);
  throw usageError(
    `No coding agent is installed (${AGENTS.join(', ')}), and you have no key for a model. Install an agent, for example with ${AGENT_PRESETS.claude.install}, or add a key.`,
    ['robosmith keys add --help', 'robosmith doctor'],
  );
}

/** Returns the name of who does the work, as displayed. */
export const doerName = (doer: Doer): string =>
  doer.kind === 'agent' ? doer.preset : doer.kind === 'program' ? commandText(doer.command) : doer.model;

/** What each agent may do without a sandbox of RoboSmith, with `"approvals": "edit"` (docs/reference/agents.md). */
const RIGHTS: Readonly<Record<AgentName, string>> = {
  claude: 'may change files; runs no commands',
  codex: 'may change files and run commands, in its own sandbox',
  gemini: 'may change files; runs no commands',
};

/** Returns what the doer may do, in words. */
export function rightsOf(doer: Doer): string {
  switch (doer.kind) {
    case 'agent':
      return doer.isSandboxed ? 'may edit files and run commands in a sandbox' : RIGHTS[doer.preset];
    case 'program':
      return 'a program of yours; may do all that you may';
    case 'model':
      return `a model of ${doer.baseUrl ?? doer.provider}, which gets the project's files; may change files`;
  }
}

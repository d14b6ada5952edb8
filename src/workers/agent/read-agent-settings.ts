import { AGENTS, type Approvals, APPROVALS } from '#protocol/approvals.ts';
import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { argumentsInCommand, leastApprovals, refusedArgument } from '#protocol/agent-flags.ts';
import { preconditionFailed } from '#protocol/error.ts';
import { tableOf } from '../answer/exit-signals.ts';
import { whyNothing } from '../writing/write-access.ts';
import { type SandboxProbe, sandboxTrouble } from '#protocol/sandbox.ts';
import { type Preset, PRESETS } from './preset.ts';

/**
 * How long a conversation with an agent continues: never, over the retries of one visit, or over all visits of the
 * block.
 */
const GOES_ON = ['never', 'retry', 'block'] as const;

export interface AgentSettings {
  /** The preset of a known agent, or null for any other program, whose whole output is the answer. */
  readonly preset: Preset | null;
  readonly command: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly model: string | null;
  readonly approvals: Approvals;
  /** What makes the sandbox that the agent works in, or null if it works in none of RoboSmith's making. */
  readonly sandbox: Preset['sandbox'] | null;
  /** Hosts that the commands of a sandboxed agent may reach. */
  readonly hosts: readonly string[];
  /** Places outside of the worktree that a sandboxed program may write. */
  readonly state: readonly string[];
  /** Signals by exit code, for answers whose last line is not a signal; null if that line is the only way. */
  readonly signals: JsonObject | null;
  /** Names of the environment variables that the manifest passes to the agent. */
  readonly env: readonly string[];
  readonly goesOn: (typeof GOES_ON)[number];
  /** Time without output, in milliseconds, after which the agent is stopped. */
  readonly idleMs: number;
  readonly contextTokens: number | null;
  /** Whether the agent is offered the code-analysis server. */
  readonly hasAnalysis: boolean;
}

const HALF_AN_HOUR = 1_800_000;

const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter((one) => typeof one === 'string') : [];

const isOff = (flag: JsonValue | undefined): boolean => flag === false || flag === 'FALSE';

const isApprovals = (value: JsonValue | undefined): value is Approvals => APPROVALS.some((one) => one === value);

function numberIn(params: JsonObject, key: string, worker: string): number | null {
  const value = params[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= 1) return value;
  throw preconditionFailed(
    `${worker}: "params" has "${key}": ${JSON.stringify(value)}, which is not a number of at least 1`,
  );
}

/**
 * Returns the approvals of an agent whose worker sets none: `sandboxed` if its commands can be kept from the user's files
 * and from the network on this machine.
 */
function defaultApprovals(preset: Preset | null, probe: SandboxProbe): Approvals {
  const canBe = preset?.closesNetwork === true && sandboxTrouble(probe, preset.name) === null;
  return canBe ? 'sandboxed' : 'edit';
}

/**
 * Returns the most restrictive approvals of the worker, the block and the calling nodes. A block without write access
 * gets `read`.
 */
function approvalsOf(
  { settings }: WorkerDefinition,
  params: JsonObject,
  { access }: Pick<GraphBlock, 'access'>,
  most: Approvals,
  otherwise: Approvals,
): Approvals {
  const own = settings['approvals'];
  const ofBlock = params['approvals'];
  const said: readonly Approvals[] = [
    isApprovals(own) ? own : otherwise,
    ...(ofBlock === undefined ? [] : [isApprovals(ofBlock) ? ofBlock : 'read']),
  ];
  return leastApprovals([...said, most, whyNothing(access) === null ? 'all' : 'read']);
}

/**
 * Rejects forbidden arguments. The compiler rejects them too, but a run in a branch may use a manifest that this
 * compiler has not checked.
 */
function checkArguments(preset: Preset, command: readonly string[], args: readonly string[], worker: string): void {
  const refusedOne =
    refusedArgument(preset.name, args) ?? refusedArgument(preset.name, argumentsInCommand(preset.name, command));
  if (refusedOne !== null)
    throw preconditionFailed(
      `${worker} passes the argument "${refusedOne}", which the preset "${preset.name}" does not allow. Remove it from "args"`,
    );
}

const presetOf = ({ settings }: WorkerDefinition): Preset | null => {
  const named = AGENTS.find((one) => one === settings['preset']);
  return named === undefined ? null : PRESETS[named];
};

const paramsOf = ({ settings }: WorkerDefinition, { params }: Pick<GraphBlock, 'params'>): JsonObject => {
  const own = settings['params'];
  return { ...(isObject(own) ? own : {}), ...params };
};

/**
 * Returns why an agent can't work in this block: the manifest says `sandboxed`, and this machine can't make the sandbox.
 * Null if it can work.
 */
export function missingSandbox(
  definition: WorkerDefinition,
  block: Pick<GraphBlock, 'access' | 'params'>,
  most: Approvals,
  probe: SandboxProbe,
): string | null {
  const preset = presetOf(definition);
  const approvals = approvalsOf(definition, paramsOf(definition, block), block, most, defaultApprovals(preset, probe));
  const trouble = approvals === 'sandboxed' ? sandboxTrouble(probe, preset?.name ?? null) : null;
  if (trouble === null) return null;
  return `${definition.name} needs a sandbox, but ${trouble.problem}. ${trouble.advice} Without a sandbox, write "approvals": "edit", or run with --approvals edit.`;
}

/**
 * Reads the settings of an agent from the worker's definition and the block. `most` is the highest approval that the
 * calling nodes allow. Throws `precondition_failed` if a setting is invalid.
 */
export function readAgentSettings(
  definition: WorkerDefinition,
  block: GraphBlock,
  most: Approvals,
  probe: SandboxProbe,
): AgentSettings {
  const { name, settings } = definition;
  const params = paramsOf(definition, block);
  const named = settings['preset'];
  const preset = AGENTS.find((one) => one === named);
  if (named !== undefined && preset === undefined)
    throw preconditionFailed(
      `${name}: there is no preset ${JSON.stringify(named)}; use one of ${AGENTS.join(', ')}, or set a "command"`,
    );
  const known = presetOf(definition);
  const [program = known?.program, ...rest] = textsOf(settings['command']);
  if (program === undefined) throw preconditionFailed(`${name} has neither a "preset" nor a "command"`);
  const args = textsOf(settings['args']);
  if (known !== null) checkArguments(known, [program, ...rest], args, name);
  const goesOn = params['conversation'] ?? 'retry';
  const found = GOES_ON.find((one) => one === goesOn);
  if (found === undefined)
    throw preconditionFailed(`${name}: "conversation" in "params" must be one of ${GOES_ON.join(', ')}`);
  const missing = missingSandbox(definition, block, most, probe);
  if (missing !== null) throw preconditionFailed(missing);
  const approvals = approvalsOf(definition, params, block, most, defaultApprovals(known, probe));
  return {
    preset: known,
    command: [program, ...rest],
    args,
    model: typeof settings['model'] === 'string' ? settings['model'] : null,
    approvals,
    sandbox: approvals === 'sandboxed' ? (known?.sandbox ?? 'wrapper') : null,
    hosts: textsOf(settings['network']),
    state: [...(known?.state ?? []), ...textsOf(settings['state'])],
    signals: known === null ? tableOf(settings['signals']) : null,
    env: textsOf(settings['env']),
    goesOn: found,
    idleMs: numberIn(params, 'idle_ms', name) ?? HALF_AN_HOUR,
    contextTokens: numberIn(params, 'context_tokens', name),
    hasAnalysis: known?.takesServer === true && !isOff(settings['code_analysis']),
  };
}

import { AGENTS, type Approvals, APPROVALS } from '#protocol/approvals.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock, WorkerDefinition } from '#protocol/graph.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { argumentsInCommand, leastApprovals, refusedArgument } from '#protocol/agent-flags.ts';
import { whyNothing } from '../writing/write-access.ts';
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

const refused = (message: string): RoboSmithError => new RoboSmithError('precondition_failed', message);

const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter((one) => typeof one === 'string') : [];

const isOff = (flag: JsonValue | undefined): boolean => flag === false || flag === 'FALSE';

const isApprovals = (value: JsonValue | undefined): value is Approvals => APPROVALS.some((one) => one === value);

function numberIn(params: JsonObject, key: string, worker: string): number | null {
  const value = params[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && value >= 1) return value;
  throw refused(`${worker}: "params" has "${key}": ${JSON.stringify(value)}, which is not a number of at least 1`);
}

/**
 * Returns the most restrictive approvals of the worker, the block and the calling nodes. A block without write access
 * gets `read`.
 */
function approvalsOf(settings: JsonObject, params: JsonObject, { access }: GraphBlock, most: Approvals): Approvals {
  const own = settings['approvals'];
  const ofBlock = params['approvals'];
  const said: readonly Approvals[] = [
    isApprovals(own) ? own : 'edit',
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
    throw refused(
      `${worker} passes the argument "${refusedOne}", which the preset "${preset.name}" does not allow. Remove it from "args"`,
    );
}

/**
 * Reads the settings of an agent from the worker's definition and the block. `most` is the highest approval that the
 * calling nodes allow. Throws `precondition_failed` if a setting is invalid.
 */
export function readAgentSettings(definition: WorkerDefinition, block: GraphBlock, most: Approvals): AgentSettings {
  const { name, settings } = definition;
  const own = settings['params'];
  const params: JsonObject = { ...(isObject(own) ? own : {}), ...block.params };
  const named = settings['preset'];
  const preset = AGENTS.find((one) => one === named);
  if (named !== undefined && preset === undefined)
    throw refused(
      `${name}: there is no preset ${JSON.stringify(named)}; use one of ${AGENTS.join(', ')}, or set a "command"`,
    );
  const known = preset === undefined ? null : PRESETS[preset];
  const [program = known?.program, ...rest] = textsOf(settings['command']);
  if (program === undefined) throw refused(`${name} has neither a "preset" nor a "command"`);
  const args = textsOf(settings['args']);
  if (known !== null) checkArguments(known, [program, ...rest], args, name);
  const goesOn = params['conversation'] ?? 'retry';
  const found = GOES_ON.find((one) => one === goesOn);
  if (found === undefined) throw refused(`${name}: "conversation" in "params" must be one of ${GOES_ON.join(', ')}`);
  return {
    preset: known,
    command: [program, ...rest],
    args,
    model: typeof settings['model'] === 'string' ? settings['model'] : null,
    approvals: approvalsOf(settings, params, block, most),
    env: textsOf(settings['env']),
    goesOn: found,
    idleMs: numberIn(params, 'idle_ms', name) ?? HALF_AN_HOUR,
    contextTokens: numberIn(params, 'context_tokens', name),
    hasAnalysis: known?.takesServer === true && !isOff(settings['code_analysis']),
  };
}

import type { SideEffects, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isObject, readList, readObject, readString, strings } from '../1-parse/json-reader.ts';
import type { Declaration } from '../2-resolve/collect-declarations.ts';
import { notInRegistry } from './check-worker-name.ts';
import { checkShellCommand } from './check-params.ts';
import type { KnownNames } from './known-names.ts';
import { readSideEffects } from './read-block.ts';
import { argumentsInCommand, refusedArgument } from '#protocol/agent-flags.ts';
import { AGENTS } from '#protocol/approvals.ts';

/** Reports settings that have no effect with this agent, or in the sandbox that it is in. */
function checkAgentSettings(worker: string, settings: JsonObject, { report }: Diagnose): void {
  const { preset, approvals } = settings;
  const refuse = (key: string, problem: string): void =>
    report('RS2059', { container: settings, member: key }, { worker, key, problem });
  if (settings['network'] !== undefined) {
    if (preset !== 'claude') refuse('network', 'only the sandbox of the preset "claude" knows hosts');
    else if (approvals !== undefined && approvals !== 'sandboxed') refuse('network', '"approvals" is not "sandboxed"');
  }
  if (settings['state'] !== undefined) {
    if (preset !== undefined) refuse('state', 'the places of a preset are known');
    else if (approvals !== 'sandboxed') refuse('state', '"approvals" is not "sandboxed"');
  }
  if (settings['signals'] !== undefined && preset !== undefined)
    refuse('signals', 'the last line of its answer is the signal');
}

/** Reports an agent worker without a program, and arguments that would allow more than its `approvals`. */
function checkAgent(worker: string, settings: JsonObject, { report }: Diagnose): void {
  const preset = AGENTS.find((one) => one === readString(settings, 'preset'));
  const command = strings(readList(settings, 'command') ?? []);
  if (preset === undefined) {
    if (settings['preset'] === undefined && settings['command'] === undefined)
      report('RS2035', { container: settings, member: 'kind' }, { worker });
    return;
  }
  for (const [member, args] of [
    ['args', strings(readList(settings, 'args') ?? [])],
    ['command', argumentsInCommand(preset, command)],
  ] as const) {
    const flag = refusedArgument(preset, args);
    if (flag !== null) report('RS2036', { container: settings, member }, { worker, flag, preset });
  }
}

type Kind = WorkerDefinition['kind'];

/** The side effects that a kind of worker has by default. */
const SIDE_EFFECTS: Readonly<Record<Kind, SideEffects>> = {
  ai: 'none',
  command: 'non_idempotent',
  agent: 'non_idempotent',
  module: 'non_idempotent',
  scripted: 'idempotent',
};

/**
 * Returns whether a worker is a model whose answers are edits of files. Applying such edits twice changes nothing more.
 */
const makesEdits = (kind: Kind, value: JsonObject): boolean => kind === 'ai' && readString(value, 'mode') === 'loom';

const isKind = (text: string | null): text is Kind => text !== null && Object.hasOwn(SIDE_EFFECTS, text);

function checkPool(settings: JsonObject, { manifest }: KnownNames, { report, nearest }: Diagnose): void {
  const pool = readString(settings, 'pool');
  if (pool === null || pool === '' || manifest.pools.has(pool) || manifest.malformed.has('pools')) return;
  report('RS2020', { container: settings, member: 'pool' }, { pool }, { near: nearest(pool, manifest.pools.keys()) });
}

/** Checks the key pools of the models in a worker's `fallback`. */
function checkFallback(settings: JsonObject, names: KnownNames, diagnose: Diagnose): void {
  const { fallback } = settings;
  const models: readonly JsonValue[] = Array.isArray(fallback) ? fallback : [];
  for (const model of models) if (isObject(model)) checkPool(model, names, diagnose);
}

function checkSignals(worker: string, settings: JsonObject, { report }: Diagnose): void {
  const signals = readObject(settings, 'signals');
  for (const [exitCode, signal] of Object.entries(signals ?? {})) {
    if (signals !== null && signal === FAIL_DEFAULT)
      report('RS2025', { container: signals, member: exitCode }, { worker });
  }
}

function checkModule(settings: JsonObject, names: KnownNames, { report, nearest }: Diagnose): void {
  const { registry } = names;
  const module = readString(settings, 'module');
  if (module === null || module === '' || registry.has(module)) return;
  const fault = { worker: module, ...notInRegistry(names, 'List it in `.flow/flow.registry.json`') };
  report('RS2016', { container: settings, member: 'module' }, fault, { near: nearest(module, registry) });
}

/** Reads a declared worker; returns null if its kind is unknown. */
export function readWorker(
  { name, value, spot }: Declaration,
  names: KnownNames,
  diagnose: Diagnose,
): WorkerDefinition | null {
  if (!isObject(value)) return null;
  const kind = readString(value, 'kind');
  if (!isKind(kind)) return null;
  if (kind === 'ai' || kind === 'agent') checkPool(value, names, diagnose);
  if (kind === 'ai') checkFallback(value, names, diagnose);
  if (kind === 'command') {
    for (const member of ['persona', 'params'])
      if (value[member] !== undefined)
        diagnose.report('RS4008', { container: value, member }, { what: `${member} of ${name}` });
    checkSignals(name, value, diagnose);
    checkShellCommand(value, name, diagnose);
  }
  if (kind === 'agent') {
    checkAgent(name, value, diagnose);
    checkAgentSettings(name, value, diagnose);
    if (value['pool'] !== undefined)
      diagnose.report('RS4008', { container: value, member: 'pool' }, { what: `pool of ${name}` });
  }
  if (kind === 'module') checkModule(value, names, diagnose);
  const problem = kind === 'scripted' ? names.answerProblems.get(name) : undefined;
  if (problem !== undefined)
    diagnose.report('RS2051', { container: value, member: 'answers' }, { worker: name, problem });
  const edits = makesEdits(kind, value);
  return {
    name,
    kind,
    persona: readString(value, 'persona'),
    outputType: readString(value, 'output_type') ?? (edits ? 'EDIT_OPERATIONS' : 'CODE_OUTPUT'),
    sideEffects: readSideEffects(value) ?? (edits ? 'idempotent' : SIDE_EFFECTS[kind]),
    settings: value,
    origin: diagnose.at(spot).place,
  };
}

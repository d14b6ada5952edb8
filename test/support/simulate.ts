import { compile, type CompileOptions, parseScript } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow, ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Halt, Response } from '#protocol/response.ts';
import type { Start } from '#protocol/run.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { outcomeSegment, type MemoryView, type RunOutcome, type RunRequest } from '../reference/run-outcome.ts';

export interface EngineRequest extends RunRequest {
  readonly compileOptions?: CompileOptions;
  readonly onEvent?: (event: RoboSmithEvent) => void;
  readonly onDiagnostics?: (diagnostics: readonly Diagnostic[]) => void;
  readonly onScriptDiagnostics?: (diagnostics: readonly Diagnostic[]) => void;
}

const MANIFEST = 'workflows.json';

export const startOf = (start: string): Start =>
  start.includes('__') ? { block: start as BlockId } : { node: start as NodeId };

const nothingRan = (reason: 'invalid_graph' | 'usage'): RunOutcome => ({
  success: false,
  reason,
  details: {},
  path: [],
  payload: [],
  exports: {},
  steps: 0,
  depth: 0,
  lastNode: null,
  lastBlock: null,
});

/** Returns halts without ids and times, which differ between implementations. */
const stableHalts = (halts: readonly Halt[]): readonly JsonObject[] =>
  halts.map(({ block, frame, why }) => ({ block, frame, why }));

/**
 * The details that must be the same in all implementations. The wording, the worker and a child's details are not among
 * them.
 */
const STABLE = ['block', 'frame', 'max_steps', 'max_run_steps', 'max_depth'] as const;

const pick = (details: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (details[key] === undefined ? [] : [[key, details[key]]])));

const stableDetails = ({ reason, details: written }: Response): JsonObject => {
  const details = written as JsonObject;
  switch (reason) {
    case 'halted':
      return { halts: stableHalts(details['halts'] as readonly unknown[] as readonly Halt[]) };
    case 'unknown_node':
      return {};
    case 'no_transition':
      return pick(details, [...STABLE, 'signal', 'handled']);
    case 'unsafe_to_retry': {
      const cause = details['cause'] as JsonObject | undefined;
      return { ...pick(details, STABLE), cause: { reason: cause?.['reason'] ?? null } };
    }
    default:
      return pick(details, STABLE);
  }
};

export const outcomeOf = (response: Response): RunOutcome => ({
  success: response.success,
  reason: response.reason,
  details: stableDetails(response),
  path: response.path,
  payload: response.data.payload.map(outcomeSegment),
  exports: response.data.exports,
  steps: response.metadata.steps,
  depth: response.metadata.depth,
  lastNode: response.metadata.last_node,
  lastBlock: response.metadata.last_block,
});

export const viewOf = (memory: BlockMemory): MemoryView => ({
  block: memory.system.block,
  visit: memory.system.visit,
  attempt: memory.system.attempt,
  frame: memory.system.frame,
  payload: [...memory.payload].map(outcomeSegment),
  contract: memory.contract,
  inherited: memory.inherited,
  exports: memory.exports,
  returned: memory.returned,
});

const runCompiled = async (
  workflow: CompiledWorkflow,
  start: string,
  script: string,
  { input, stepMode, onMemory, onEvent, onScriptDiagnostics }: EngineRequest,
): Promise<RunOutcome> => {
  const parsed = parseScript({ path: 'script.json', text: script }, workflow.graph);
  onScriptDiagnostics?.(parsed.diagnostics);
  if (parsed.value === null) return nothingRan('usage');
  const response = await simulate(workflow, {
    start: startOf(start),
    script: parsed.value,
    ...(input === undefined ? {} : { input }),
    ...(stepMode === undefined ? {} : { stepMode }),
    ...(onEvent === undefined ? {} : { onEvent }),
    ...(onMemory === undefined
      ? {}
      : {
          onMemory: (memory: BlockMemory) => {
            onMemory(viewOf(memory));
          },
        }),
  });
  return outcomeOf(response);
};

/**
 * Runs a manifest's text with the engine and returns the outcome. All tests of semantics use the engine through this
 * function.
 */
export const simulateSources = async (
  sources: readonly ManifestSource[],
  start: string,
  script: string,
  request: EngineRequest = {},
): Promise<RunOutcome> => {
  const { workflow, diagnostics } = compile(sources, request.compileOptions);
  request.onDiagnostics?.(diagnostics);
  return workflow === null ? nothingRan('invalid_graph') : runCompiled(workflow, start, script, request);
};

export const simulateManifest = (
  manifest: JsonObject,
  start: string,
  script: JsonObject,
  request: EngineRequest = {},
): Promise<RunOutcome> =>
  simulateSources([{ path: MANIFEST, text: JSON.stringify(manifest) }], start, JSON.stringify(script), request);

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, parseScript } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions, Start } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import { projectOf } from '../conformance/workflows/case-project.ts';
import type { ConformanceCase } from '../conformance/workflows/conformance-case.ts';
import { loadCases } from '../conformance/workflows/load-cases.ts';
import type { StoredCase } from './job.ts';

/** A case of the conformance kit that can be run with crashes. */
export interface CrashCase {
  readonly id: string;
  /** The file in which the case is stored for the engine processes. */
  readonly file: string;
  /** True if the script answers halts. A halt that a crash causes would consume one of these answers. */
  readonly hasAnswers: boolean;
  /** True if several frames run at the same time. */
  readonly forks: boolean;
  /** True if the case can run on a real clock: it neither waits nor depends on the run's id. */
  readonly inRealTime: boolean;
  /** Runs the case with `simulate`, without any crash. */
  simulated(): Promise<Response>;
}

export interface LeftOut {
  readonly id: string;
  readonly why: string;
}

const startOf = (start: string): Start =>
  start.includes('__') ? { block: start as BlockId } : { node: start as NodeId };

const knows = ({ graph: { nodes } }: CompiledWorkflow, start: string): boolean =>
  nodes.some(({ id, blocks }) => id === start || blocks.some((block) => block.id === start));

/** Returns whether a script answers for a block of Internal:Verdict, which this suite's processes execute unscripted. */
const answersForVerdicts = ({ graph: { nodes } }: CompiledWorkflow, { answers }: Script): boolean =>
  nodes.some(({ blocks }) =>
    blocks.some(
      ({ id, worker }) => worker === 'Internal:Verdict' && (answers.has(id) || answers.has('Internal:Verdict')),
    ),
  );

/**
 * Returns the reason why a case can't be used: it can't be run, or a crash may change its outcome. Returns null if it
 * can be used.
 */
function whyNot(one: ConformanceCase, workflow: CompiledWorkflow | null, script: Script | null): string | null {
  if (workflow === null) return 'it does not compile';
  if (script === null) return 'its script is refused';
  if (!knows(workflow, one.start)) return 'it starts nowhere';
  if (one.expect.reason === 'invalid_input') return 'its input is refused before it starts';
  if (answersForVerdicts(workflow, script)) return 'its script answers for Internal:Verdict';
  const manifest = JSON.stringify(workflow.graph);
  if (manifest.includes('attempt.less_than'))
    return 'it asks for the number of the attempt, which a crash makes higher';
  if (script.halts.length > 0 && JSON.stringify(one.script).includes('non_idempotent'))
    return 'its answers to halts would be taken by those that a crash brings';
  return null;
}

const dataOf = (one: ConformanceCase, { graph }: CompiledWorkflow, { answers, halts }: Script): StoredCase => ({
  graph,
  start: startOf(one.start),
  script: { answers: Object.fromEntries(answers), halts },
  input: one.input ?? null,
  stepMode: one.step_mode ?? false,
  forks: JSON.stringify(graph).includes('"kind":"fork"'),
});

/** Simulates a case. `{run}` in its script is replaced by the run's id, which is the same in every simulation. */
async function simulated(workflow: CompiledWorkflow, options: RunOptions, text: string): Promise<Response> {
  const scriptFor = (run: string): Script => {
    const source = { path: 'script.json', text: text.replaceAll('{run}', run) };
    return parseScript(source, workflow.graph).value ?? { answers: new Map(), halts: [] };
  };
  const { metadata } = await simulate(workflow, { ...options, script: scriptFor('{run}') });
  return simulate(workflow, { ...options, script: scriptFor(metadata.run_id ?? '') });
}

/** Compiles the cases of the conformance kit, and stores those that can be run with crashes as files in a folder. */
export async function prepareCases(
  folder: string,
): Promise<{ readonly cases: readonly CrashCase[]; readonly leftOut: readonly LeftOut[] }> {
  mkdirSync(folder, { recursive: true });
  const cases: CrashCase[] = [];
  const leftOut: LeftOut[] = [];
  for (const { case: one } of loadCases()) {
    const { sources, options } = await projectOf(one);
    const { workflow } = compile(sources, options);
    const text = JSON.stringify(one.script);
    const script = workflow === null ? null : parseScript({ path: 'script.json', text }, workflow.graph).value;
    const why = whyNot(one, workflow, script);
    if (workflow === null || script === null || why !== null) {
      leftOut.push({ id: one.id, why: why ?? '' });
      continue;
    }
    const file = path.join(folder, `${one.id}.json`);
    const stored = dataOf(one, workflow, script);
    writeFileSync(file, JSON.stringify(stored));
    const { start, input, stepMode } = stored;
    cases.push({
      id: one.id,
      file,
      hasAnswers: script.halts.length > 0,
      forks: stored.forks,
      inRealTime: !stored.forks && !/"timeoutMs":\d|"delayMs":[1-9]|"delay_ms"|\{run\}/.test(JSON.stringify(stored)),
      simulated: () => simulated(workflow, { start, stepMode, ...(input === null ? {} : { input }) }, text),
    });
  }
  return { cases, leftOut };
}

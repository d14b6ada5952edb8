import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { MemoryView, RunOutcome } from '../../reference/run-outcome.ts';
import { simulateSources } from '../../support/simulate.ts';
import { type CaseProject, projectOf } from './case-project.ts';
import type { ConformanceCase } from './conformance-case.ts';

export interface EngineRun {
  readonly outcome: RunOutcome;
  readonly memories: readonly MemoryView[];
  readonly events: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Formats an event as a line, for example `block.entered Main__one` or `run.finished completed`. */
const eventLine = (event: RoboSmithEvent): string => {
  const what: string[] = [event.type];
  if ('block' in event) what.push(event.block);
  else if ('node' in event) what.push(event.node);
  if (event.type === 'block.finished') what.push(event.signal);
  if (event.type === 'block.halted') what.push(event.why);
  if (event.type === 'block.answered') what.push(event.answer);
  if (event.type === 'evidence.checked') what.push(event.held ? 'held' : 'failed');
  if (event.type === 'node.entered' || event.type === 'node.left') what.push(event.via);
  if (event.type === 'run.finished') what.push(event.outcome);
  return what.join(' ');
};

/** Returns the script with `{run}` replaced by the run's id, which is the same in every simulation. */
const scriptOf = async (one: ConformanceCase, { sources }: CaseProject): Promise<string> => {
  const script = JSON.stringify(one.script);
  if (!script.includes('{run}')) return script;
  let run = '';
  await simulateSources(sources, one.start, script, { onEvent: (event) => void (run = event.run_id) });
  return script.replaceAll('{run}', run);
};

export const runOnEngine = async (one: ConformanceCase): Promise<EngineRun> => {
  const memories: MemoryView[] = [];
  const events: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const project = await projectOf(one);
  const outcome = await simulateSources(project.sources, one.start, await scriptOf(one, project), {
    compileOptions: project.options,
    ...(one.input === undefined ? {} : { input: one.input }),
    ...(one.step_mode === undefined ? {} : { stepMode: one.step_mode }),
    onMemory: (memory) => void memories.push(memory),
    onEvent: (event) => void events.push(eventLine(event)),
    onDiagnostics: (found) => void diagnostics.push(...found),
    onScriptDiagnostics: (found) => void diagnostics.push(...found),
  });
  return { outcome, memories, events, diagnostics };
};

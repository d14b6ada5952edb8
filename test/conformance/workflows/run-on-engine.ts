import type { ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { MemoryView, RunOutcome } from '../../reference/run-outcome.ts';
import { simulateSources } from '../../support/simulate.ts';
import type { ConformanceCase } from './conformance-case.ts';

export interface EngineRun {
  readonly outcome: RunOutcome;
  readonly memories: readonly MemoryView[];
  readonly events: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `block.entered Main__one`, `run.finished completed`, `node.entered Main call` … */
const eventLine = (event: RoboSmithEvent): string => {
  const what: string[] = [event.type];
  if ('block' in event) what.push(event.block);
  else if ('node' in event) what.push(event.node);
  if (event.type === 'block.finished') what.push(event.signal);
  if (event.type === 'block.halted') what.push(event.why);
  if (event.type === 'block.answered') what.push(event.answer);
  if (event.type === 'node.entered' || event.type === 'node.left') what.push(event.via);
  if (event.type === 'run.finished') what.push(event.outcome);
  return what.join(' ');
};

const sourcesOf = ({ manifest, text, files }: ConformanceCase): readonly ManifestSource[] => [
  { path: 'workflows.json', text: text ?? JSON.stringify(manifest) },
  ...Object.entries(files ?? {}).map(([path, content]) => ({ path, text: content })),
];

/** `{run}` in a script stands for the id of the run: in `simulate` a run started twice has the same one. */
const scriptOf = async (one: ConformanceCase): Promise<string> => {
  const script = JSON.stringify(one.script);
  if (!script.includes('{run}')) return script;
  let run = '';
  await simulateSources(sourcesOf(one), one.start, script, { onEvent: (event) => void (run = event.run_id) });
  return script.replaceAll('{run}', run);
};

export const runOnEngine = async (one: ConformanceCase): Promise<EngineRun> => {
  const memories: MemoryView[] = [];
  const events: string[] = [];
  let diagnostics: readonly Diagnostic[] = [];
  const outcome = await simulateSources(sourcesOf(one), one.start, await scriptOf(one), {
    ...(one.input === undefined ? {} : { input: one.input }),
    ...(one.step_mode === undefined ? {} : { stepMode: one.step_mode }),
    onMemory: (memory) => void memories.push(memory),
    onEvent: (event) => void events.push(eventLine(event)),
    onDiagnostics: (found) => {
      diagnostics = found;
    },
  });
  return { outcome, memories, events, diagnostics };
};

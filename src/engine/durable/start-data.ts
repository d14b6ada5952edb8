import type { ScriptData, StartData } from '#protocol/journal.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';

const scriptData = ({ answers, halts }: Script): ScriptData => ({ answers: Object.fromEntries(answers), halts });

const script = ({ answers, halts }: ScriptData): Script => ({ answers: new Map(Object.entries(answers)), halts });

export const scriptsData = (scripts: NonNullable<RunOptions['scripts']>): StartData['scripts'] =>
  Object.fromEntries(Array.from(scripts, ([worker, one]) => [worker, scriptData(one)]));

/** Returns the options of a run that are data, and are stored in its journal. */
export const startData = (options: RunOptions): StartData => ({
  start: options.start,
  input: options.input ?? null,
  stepMode: options.stepMode ?? false,
  source: options.source ?? null,
  script: options.script === undefined ? null : scriptData(options.script),
  scripts: scriptsData(options.scripts ?? new Map()),
  ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
  ...(options.task === undefined ? {} : { task: options.task }),
  ...(options.session === undefined ? {} : { session: options.session }),
});

/** Options that can't be stored and must be passed again when a run is resumed. */
export type UnstoredOptions = Pick<
  RunOptions,
  'workers' | 'evidence' | 'conditions' | 'environment' | 'onEvent' | 'onMemory' | 'answersFor'
>;

export const runOptions = (started: StartData, companions: UnstoredOptions): RunOptions => ({
  ...companions,
  start: started.start,
  stepMode: started.stepMode,
  scripts: new Map(Object.entries(started.scripts).map(([worker, one]) => [worker, script(one)])),
  ...(started.input === null ? {} : { input: started.input }),
  ...(started.source === null ? {} : { source: started.source }),
  ...(started.script === null ? {} : { script: script(started.script) }),
  ...(started.approvals === undefined ? {} : { approvals: started.approvals }),
  ...(started.task === undefined ? {} : { task: started.task }),
  ...(started.session === undefined ? {} : { session: started.session }),
});

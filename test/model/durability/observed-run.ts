import { compile, parseScript } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { PathEntry, Response } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Script, ScriptedAnswer } from '#protocol/script.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import type { MemoryView } from '../../reference/run-outcome.ts';
import { startOf } from '../../support/simulate.ts';
import type { Workflow } from '../build-workflow.ts';

/** One run of a scenario over all sessions: its definition, and everything that was reported about it. */
export interface ObservedRun {
  readonly index: number;
  /** A field of the journal's header. It identifies a run whose start failed for the caller. */
  readonly source: string;
  readonly own: boolean;
  readonly forks: boolean;
  readonly written: Workflow;
  readonly workflow: CompiledWorkflow;
  readonly options: RunOptions;
  readonly script: Script;
  /** Answers to halts from outside; empty if the script contains them. */
  readonly answers: readonly ScriptedAnswer[];
  /**
   * The refused answers of each halt, by the halt's id. A refused answer counts as consumed (point 22 of
   * docs/decisions/2026-11-21-run-semantics.md).
   */
  readonly refused: Map<HaltId, ScriptedAnswer>;
  id: RunId | null;
  /** The journal as the last session left it. */
  entries: readonly JournalEntry[];
  response: Response | null;
  readonly memories: Map<string, MemoryView>;
  readonly reported: {
    readonly path: PathEntry[];
    readonly halts: Set<HaltId>;
    readonly answered: Set<HaltId>;
    events: number;
  };
  /** Executions that began, by key and attempt. */
  readonly executed: string[];
  /** The observed violations of invariants. */
  readonly violations: string[];
  /** Results of the caller's own workers that survive a crash. */
  readonly done: Map<string, WorkerResult>;
}

/** Reasons for which an engine stops executing a run that has not ended. */
const GOES_ON = ['interrupted', 'halted', 'state_not_saved', 'corrupt_state'];

/** Returns whether a run has ended. A run that waits for a person has not: each engine resumes it. */
export const isOver = ({ response }: ObservedRun): boolean =>
  response !== null && !GOES_ON.includes(response.reason ?? '');

const isManual = ({ worker }: GraphBlock): boolean => worker === 'Internal:ManualIntervention';

export interface Observation {
  readonly written: Workflow;
  readonly own: boolean;
  readonly answered: boolean;
}

export function observeRun({ written, own, answered }: Observation, index: number): ObservedRun {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(written.manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const { value: script } = parseScript({ path: 'script.json', text: JSON.stringify(written.script) }, workflow.graph);
  if (script === null) throw new Error('the script can not be read');
  const source = `run-${index}`;
  const halts = answered ? [] : script.halts;
  const scripted = new Set(
    workflow.graph.nodes.flatMap(({ blocks }) =>
      blocks.filter((block) => isManual(block) || block.worker === 'Internal:Verdict').map(({ id }) => id as string),
    ),
  );
  // The script alone answers for a person. A verdict that the script contains is scripted in every run; other verdicts
  // are computed.
  const answers = own ? new Map([...script.answers].filter(([block]) => scripted.has(block))) : script.answers;
  const options: RunOptions = {
    start: startOf(written.start),
    script: { answers, halts },
    source,
    stepMode: written.stepMode,
    ...(written.input === null ? {} : { input: written.input }),
  };
  return {
    index,
    source,
    own,
    forks: JSON.stringify(written.manifest).includes('"FORK:'),
    written,
    workflow,
    options,
    script,
    answers: answered ? script.halts : [],
    refused: new Map(),
    id: null,
    entries: [],
    response: null,
    memories: new Map(),
    reported: { path: [], halts: new Set(), answered: new Set(), events: 0 },
    executed: [],
    violations: [],
    done: new Map(),
  };
}

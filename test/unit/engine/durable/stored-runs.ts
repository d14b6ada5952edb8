import { createFork, entriesBefore, journalFile, readRun, runFolder, summarise } from '#actors/journal/index.ts';
import { compile, parseScript } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Conditions } from '#protocol/condition.ts';
import type { BlockId, NodeId, RunId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';
import type { Answer, Halt, PathEntry, Response } from '#protocol/response.ts';
import type { FindEvidence, RunOptions } from '#protocol/run.ts';
import type { Files } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { startData } from '../../../../src/engine/durable/start-data.ts';
import { replayRun } from '../../../../src/engine/durable/replay-run.ts';
import type { KeptRun } from '../../../../src/engine/durable/begin-run.ts';
import type { ResumeChoices } from '../../../../src/engine/durable/resume-run.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { sealedJournal } from '../../../support/sealed-journal.ts';
import { createMemoryFiles, type MemoryFiles } from './memory-files.ts';

/** A workflow with all its scripted answers. */
export interface Scene {
  readonly name: string;
  readonly manifest: JsonObject;
  /** Answers by block, as in a script file. */
  readonly script?: JsonObject;
  readonly start?: string;
  readonly stepMode?: boolean;
  readonly input?: string;
  /** Workers in addition to the script. If there are none, the script answers every block. */
  readonly workers?: ReadonlyMap<string, Worker>;
  /** Checks evidence; used only together with workers. */
  readonly evidence?: FindEvidence;
  readonly conditions?: Conditions;
  /** The files from which the blocks' artifacts are read. */
  readonly projectFiles?: Files;
}

export const FOLDER = '/project/.flow';

let ids = 0;
const newId = (bytes: number): string => (ids += 1).toString(16).padStart(bytes * 2, '0');

export function compileScene({ manifest, conditions }: Pick<Scene, 'manifest' | 'conditions'>): CompiledWorkflow {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }], {
    conditions: new Set(conditions?.keys() ?? []),
  });
  if (workflow === null) throw new Error(JSON.stringify(diagnostics.filter(({ severity }) => severity === 'error')));
  return workflow;
}

function optionsOf({ script = {}, start = 'Main', stepMode, input }: Scene, workflow: CompiledWorkflow): RunOptions {
  const parsed = parseScript({ path: 'script.json', text: JSON.stringify(script) }, workflow.graph);
  if (parsed.value === null) throw new Error(JSON.stringify(parsed.diagnostics));
  return {
    start: start.includes('__') ? { block: start as BlockId } : { node: start as NodeId },
    script: parsed.value,
    ...(stepMode === undefined ? {} : { stepMode }),
    ...(input === undefined ? {} : { input }),
  };
}

export interface HoldOptions {
  /** Called right after the run has begun. */
  readonly drive?: (run: KeptRun) => void | Promise<void>;
  /** Answers by block, each given when the run waits. */
  readonly answers?: readonly (readonly [block: string, answer: Answer])[];
}

/** The result of executing a run until it ends or waits. */
export interface Held {
  readonly run: RunId;
  readonly response: Response;
  /** One line for each assembled memory, in order: `<step key> <attempt>`, where the key lacks the run's id. */
  readonly executed: readonly string[];
  readonly events: readonly string[];
}

/** Creates an engine for one workflow, with a disk in memory and virtual time. */
export function openProject(scene: Scene, files: MemoryFiles = createMemoryFiles()) {
  const workflow = compileScene(scene);
  const place = { calls: files.calls, folder: FOLDER };
  const bench = createDurableBench(files.calls, FOLDER, newId);
  const ports = { ...bench.ports, files: scene.projectFiles ?? null };
  const reach = scene.workers === undefined ? 'all' : 'where_it_answers';

  const companions = (executed: string[], events: string[]) => ({
    ...(scene.workers === undefined ? {} : { workers: scene.workers }),
    ...(scene.evidence === undefined ? {} : { evidence: scene.evidence }),
    ...(scene.conditions === undefined ? {} : { conditions: scene.conditions }),
    onMemory: ({ system: { step, run, attempt } }: { system: { step: string; run: string; attempt: number } }) =>
      void executed.push(`${step.slice(run.length)} ${attempt}`),
    onEvent: ({ type }: { type: string }) => void events.push(type),
  });

  const hold = async (
    begin: (executed: string[], events: string[]) => KeptRun,
    { drive = () => undefined, answers = [] }: HoldOptions,
    close: () => void,
  ): Promise<Held> => {
    const executed: string[] = [];
    const events: string[] = [];
    const run = begin(executed, events);
    const driven = drive(run);
    let response = await bench.settle(run);
    for (const [block, answer] of answers) {
      const halt = run.halts().find((one) => one.block === block);
      if (halt === undefined) throw new Error(`${block} does not wait: ${JSON.stringify(response.details)}`);
      run.answer(halt.halt_id, answer);
      response = await bench.settle(run);
    }
    // Waits for `drive`, because it may still be sending a request to the run.
    await driven;
    response = await bench.settle(run);
    close();
    return { run: run.id, response, executed, events };
  };

  const entries = (run: RunId): readonly JournalEntry[] => {
    const reading = readRun(place, run);
    if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
    return reading.run.entries;
  };

  const forgetStates = (run: RunId): void => {
    for (const name of files.contents().keys())
      if (name.startsWith(`${runFolder(FOLDER, run)}/flow_state_`)) files.calls.remove(name);
  };

  return {
    workflow,
    files,
    bench,
    place,
    entries,
    start: async (held: HoldOptions = {}): Promise<Held> => {
      const store = bench.open();
      const options = optionsOf(scene, workflow);
      return hold(
        (executed, events) =>
          store.start(workflow, { ...options, ...companions(executed, events) }, ports, null, reach),
        held,
        store.close,
      );
    },
    resume: async (run: RunId, held: HoldOptions = {}, choices: ResumeChoices = {}): Promise<Held> => {
      const store = bench.open();
      return hold(
        (executed, events) => store.resume(run, companions(executed, events), ports, { reach, ...choices }),
        held,
        store.close,
      );
    },
    cancel: async (run: RunId) => {
      const store = bench.open();
      await store.cancel(run, bench.ports);
      store.close();
    },
    /** Forks a run as `Engine.fork` does, optionally with another script. Returns null if there is no such step. */
    fork: (run: RunId, step: number, script: JsonObject | null = null): RunId | null => {
      const kept = entriesBefore(entries(run), step);
      if (kept === null) return null;
      const header = entries(run)[0] as HeaderEntry;
      const started = script === null ? header.started : startData(optionsOf({ ...scene, script }, workflow));
      const id = `r${newId(6)}` as RunId;
      const at = bench.clock.now();
      const own = { run: id, trace: newId(16), at, started, forkedFrom: { run, step } };
      createFork(place, { ...header, ...own }, kept, newId(6));
      return id;
    },
    /** Sets the disk to the state after a crash at which only the first `lines` lines of the journal were safe. */
    crashAfter: (run: RunId, lines: number): void => {
      const file = journalFile(FOLDER, run);
      const all = files.contents().get(file) ?? '';
      files.put(file, `${all.split('\n').slice(0, lines).join('\n')}\n`);
      forgetStates(run);
    },
    /** Replaces the entries of a journal and gives them valid checksums. */
    rewrite: (run: RunId, edit: (entries: readonly JournalEntry[]) => readonly JournalEntry[]): void => {
      files.put(journalFile(FOLDER, run), sealedJournal(run, edit(entries(run))));
      forgetStates(run);
    },
    summary: (run: RunId) => summarise(entries(run)),
    replay: (run: RunId, workflowNow?: CompiledWorkflow, conditions: Conditions | undefined = scene.conditions) =>
      replayRun(
        place,
        run,
        { ...bench.ports, nextTurn: (work) => void setImmediate(work) },
        {
          ...(scene.workers === undefined ? {} : { workers: scene.workers }),
          ...(conditions === undefined ? {} : { conditions }),
          ...(workflowNow === undefined ? {} : { workflow: workflowNow }),
        },
      ),
  };
}

export type Project = ReturnType<typeof openProject>;

export const pathOf = (entries: readonly JournalEntry[]): readonly PathEntry[] =>
  entries.flatMap((entry) => (entry.type === 'path' ? [entry.entry] : []));

export const haltsOf = (response: Response): readonly Halt[] => response.details['halts'] ?? [];

export const typesOf = (entries: readonly JournalEntry[]): readonly string[] => entries.map(({ type }) => type);

/** Advances the clock while nothing executes. */
export function passes({ bench: { clock } }: Project, ms: number): void {
  void clock.sleep(ms, new AbortController().signal, '~');
  clock.advance();
}

/** Formats a path entry as `<step> <frame> <block>#<visit> <signal> <action>`. */
export const line = ({ step, frame, block, visit, signal, action }: PathEntry): string =>
  `${step} ${frame} ${block}#${visit} ${signal ?? '-'} ${action ?? '-'}`;

/** Formats a path entry without its step number. Attempts are not included, since a crash adds one. */
const withoutStep = (entry: PathEntry): string => line(entry).slice(String(entry.step).length + 1);

/** Keys of ids and times, which differ between runs. */
const TIMES = new Set(['since', 'until', 'timestamp', 'run_id', 'trace_id', 'duration_ms', 'attempts', 'halt_id']);

const plain = (value: unknown, run: RunId): JsonObject =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (TIMES.has(key) ? undefined : inner)).replaceAll(run, 'RUN'),
  ) as JsonObject;

/**
 * Returns the outcome of a run. With `parallel`, the path is listed per frame, because the order between branches is
 * undefined.
 */
export function outcomeOf({ run, response }: Pick<Held, 'run' | 'response'>, parallel = false): JsonObject {
  const { path, metadata, ...rest } = response;
  const { steps, depth, last_node, last_block } = metadata;
  const frames = new Map<string, string[]>();
  for (const entry of path) {
    const frame = parallel ? entry.frame : '';
    frames.set(frame, [...(frames.get(frame) ?? []), parallel ? withoutStep(entry) : line(entry)]);
  }
  const sorted = Object.fromEntries([...frames].sort(([one], [other]) => (one < other ? -1 : 1)));
  return plain({ ...rest, steps, depth, path: sorted, last: parallel ? null : [last_node, last_block] }, run);
}

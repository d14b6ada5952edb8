import { describe, expect, test } from 'vitest';
import { executionId, entriesInForce } from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import { verifies } from '../e2e/verifies.ts';
import { createMemoryFiles } from '../unit/engine/durable/memory-files.ts';
import { type Held, line, openProject, outcomeOf, pathOf, type Project } from '../unit/engine/durable/stored-runs.ts';
import { TRAVELS, type TravelScene } from '../unit/engine/durable/travels.ts';

const stepsOf = (entries: readonly JournalEntry[]): number =>
  Math.max(0, ...pathOf(entriesInForce(entries)).map(({ step }) => step));

/** Returns the first, the middle and the last step. */
const someOf = (steps: number): ReadonlySet<number> =>
  new Set(upTo(steps).filter((one) => one === 1 || one === steps || one === Math.ceil(steps / 2)));

const upTo = (steps: number): readonly number[] => Array.from({ length: steps }, (_, index) => index + 1);

/** Returns the files that belong to an old run. */
const filesOf = ({ files }: Project, run: RunId): ReadonlyMap<string, string> =>
  new Map([...files.contents()].filter(([file]) => file.includes(`/runs/${run}/`) || file.includes('/blobs/')));

/** Expects the files of an old run to be unchanged byte for byte. Blobs of other runs may have been added. */
function expectUntouched(project: Project, run: RunId, before: ReadonlyMap<string, string>): void {
  const now = filesOf(project, run);
  const others = [...now.keys()].filter((file) => !before.has(file));
  expect(others.filter((file) => !file.includes('/blobs/'))).toEqual([]);
  expect(new Map([...now].filter(([file]) => before.has(file)))).toEqual(before);
}

const finished = (entries: readonly JournalEntry[]): ReadonlySet<string> =>
  new Set(entries.flatMap((entry) => (entry.type === 'result' ? [executionId(entry.key, entry.attempt)] : [])));

const visitOf = ({ frame, block, visit }: PathEntry): string => `${frame === '/' ? '' : frame}/${block}#${visit}`;

const isCancelled = ({ signal, action }: PathEntry): boolean => signal === null && action === null;

const forked = async (project: Project, old: RunId, step: number, script: JsonObject | null = null) => {
  const run = project.fork(old, step, script) as RunId;
  const kept = project.entries(run);
  return { kept, fork: await project.resume(run) };
};

/**
 * Expects a fork to execute only those executions of the old run whose results it did not keep. An exception is a
 * cancelled execution, which may not have begun.
 */
function expectExecutions(
  old: Held,
  fork: Held,
  kept: readonly JournalEntry[],
  entries: readonly JournalEntry[],
): void {
  const known = finished(kept);
  const cancelled = new Set(pathOf(entries).filter(isCancelled).map(visitOf));
  const begun = new Set(fork.executed);
  const anew = old.executed.filter((id) => !known.has(id));
  expect([...fork.executed].sort()).toEqual(
    anew.filter((id) => begun.has(id) || !cancelled.has(id.slice(0, id.lastIndexOf(' ')))).sort(),
  );
}

/** Expects the path of a fork to begin with the steps that it kept, as they were in the old run. */
function expectBeginning(old: readonly PathEntry[], fork: Held, kept: readonly JournalEntry[]): void {
  const before = pathOf(kept).map(line);
  expect(fork.response.path.slice(0, before.length).map(line)).toEqual(before);
  expect(old.slice(0, before.length).map(line)).toEqual(before);
}

describe.each(TRAVELS)('$name', (scene: TravelScene) => {
  const { parallel = false } = scene;

  test('the same script goes on from every step, and comes to the same', async () => {
    verifies('engine.determinism.time-travel');
    const project = openProject(scene);
    const old = await project.start();
    const entries = project.entries(old.run);
    const untouched = filesOf(project, old.run);
    for (const step of upTo(stepsOf(entries))) {
      const { kept, fork } = await forked(project, old.run, step);
      expect(outcomeOf(fork, parallel), `@${step}`).toEqual(outcomeOf(old, parallel));
      expectBeginning(old.response.path, fork, kept);
      expectExecutions(old, fork, kept, entries);
    }
    expectUntouched(project, old.run, untouched);
  });

  test('a fork of a fork comes to the same, also of one that has not begun', async () => {
    const project = openProject(scene);
    const old = await project.start();
    const steps = stepsOf(project.entries(old.run));
    for (const step of upTo(steps)) {
      const first = project.fork(old.run, step) as RunId;
      const known = stepsOf(project.entries(first));
      for (const again of someOf(known)) {
        const { fork } = await forked(project, first, again);
        expect(outcomeOf(fork, parallel), `@${step}@${again}`).toEqual(outcomeOf(old, parallel));
      }
      await project.resume(first);
      const entries = project.entries(first);
      for (const again of new Set([1, step, stepsOf(entries)])) {
        const { fork, kept } = await forked(project, first, again);
        expect(outcomeOf(fork, parallel), `@${step}, then @${again}`).toEqual(outcomeOf(old, parallel));
        expectBeginning(pathOf(entries), fork, kept);
      }
    }
  });

  test('a fork of what a crash left comes to what the run would have come to', async () => {
    const project = openProject(scene);
    const old = await project.start();
    const lines = project.entries(old.run).length;
    for (let safe = 2; safe < lines; safe += 5) {
      const crashed = openProject(scene, project.files.copy());
      crashed.crashAfter(old.run, safe);
      const steps = stepsOf(crashed.entries(old.run));
      for (const step of someOf(steps)) {
        const { fork } = await forked(crashed, old.run, step);
        expect(outcomeOf(fork, parallel), `${safe} lines, @${step}`).toEqual(outcomeOf(old, parallel));
      }
    }
  });

  test.each(['cancel', 'interrupt', 'pause'] as const)('a fork of a run that was told to %s goes on', async (verb) => {
    const whole = await openProject(scene).start();
    for (let at = 1, reached = true; reached; at += 4) {
      reached = false;
      const files = createMemoryFiles();
      const project = openProject(scene, files);
      const old = await project.start({
        drive: (run) => {
          files.onSync((count) => {
            if (count !== at) return;
            reached = true;
            run[verb]();
          });
        },
      });
      files.onSync(() => undefined);
      const entries = project.entries(old.run);
      const untouched = filesOf(project, old.run);
      const steps = stepsOf(entries);
      for (const step of someOf(steps)) {
        const { fork } = await forked(project, old.run, step);
        expect(outcomeOf(fork, parallel), `sync ${at}, @${step}`).toEqual(outcomeOf(whole, parallel));
      }
      expectUntouched(project, old.run, untouched);
    }
  });
});

/**
 * Workflows in which each scripted answer belongs to exactly one step. Workflows with blocks that run in two branches
 * at once are excluded, because these share their script.
 */
const OF_ONE_STEP = TRAVELS.filter(({ name }) => !/nested$|in a call in a fork/.test(name));

const branchOf = (frame: string): string => frame.slice(0, frame.lastIndexOf(']') + 1);

/** Returns the script with a different answer for one execution of a block and the same answers before and after it. */
function withAnswer(script: JsonObject, block: string, index: number, answer: JsonObject): JsonObject {
  const list = (script[block] ?? script['*'] ?? []) as readonly JsonObject[];
  const long = Array.from({ length: Math.max(list.length, index + 2) }, (_, at) => list[Math.min(at, list.length - 1)]);
  const delay = long[index]?.['delay_ms'];
  long[index] = { ...answer, ...(delay === undefined ? {} : { delay_ms: delay }) };
  return { ...script, [block]: long as JsonValue };
}

const CHANGED: JsonObject = {
  signal: 'SIGNAL:SUCCESS',
  append: [{ type: 'NOTE', content: 'changed' }],
  exports: { changed: true },
};

describe.each(OF_ONE_STEP)('$name, with another answer', (scene: TravelScene) => {
  const { parallel = false } = scene;
  // If there are parallel branches, the outcome of a run that ends early depends on the progress of the other branches.
  const answers = parallel ? [CHANGED] : [CHANGED, { ...CHANGED, signal: 'SIGNAL:OTHER' }];

  test.each(answers)(
    'a step of a fork may say $signal, and what follows is what would have followed',
    async (answer) => {
      verifies('engine.determinism.time-travel');
      const project = openProject(scene);
      const old = await project.start();
      const entries = project.entries(old.run);
      for (const step of upTo(stepsOf(entries))) {
        const at = pathOf(entries).find((entry) => entry.step === step) as PathEntry;
        if (at.attempts === 0 || isCancelled(at)) continue;
        const same = `/${at.block}#`;
        const kept = project.entries(project.fork(old.run, step) as RunId);
        const index = kept.filter(
          (one) => one.type === 'result' && one.key.includes(same) && branchOf(one.key) === branchOf(at.frame),
        ).length;
        const script = withAnswer(scene.script, at.block, index, answer);
        const { fork } = await forked(project, old.run, step, script);
        const anew = await openProject({ ...scene, script }).start();
        expect(outcomeOf(fork, parallel), `@${step}`).toEqual(outcomeOf(anew, parallel));
        expect(JSON.stringify(project.entries(fork.run))).toContain('changed');
        expectBeginning(old.response.path, fork, kept);
      }
    },
  );
});

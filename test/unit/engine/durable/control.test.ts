import { describe, expect, test } from 'vitest';
import { executionId } from '#actors/journal/index.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { KeptRun } from '../../../../src/engine/durable/begin-run.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from './memory-files.ts';
import { type Held, openProject, outcomeOf, type Project } from './stored-runs.ts';
import { TRAVELS, type TravelScene } from './travels.ts';

type Verb = 'cancel' | 'interrupt' | 'pause';

const VERBS: readonly Verb[] = ['cancel', 'interrupt', 'pause'];

const isCutOff = (entry: JournalEntry): boolean =>
  entry.type === 'result' && 'kind' in entry.stepped && entry.stepped.kind === 'again';

const resultsIn = (entries: readonly JournalEntry[], which: (entry: JournalEntry) => boolean): ReadonlySet<string> =>
  new Set(entries.flatMap((one) => (one.type === 'result' && which(one) ? [executionId(one.key, one.attempt)] : [])));

const cancelledIn = ({ response }: Held): ReadonlySet<string> =>
  new Set(response.path.filter(({ signal, action }) => signal === null && action === null).map(({ frame }) => frame));

/**
 * Returns the part of an outcome that can be compared. If a branch fails, the progress of the other branches depends on
 * timing, so cancelled frames are excluded.
 */
function comparable(held: Held, { parallel }: TravelScene, cancelled: ReadonlySet<string>): unknown {
  const { path, steps, ...rest } = outcomeOf(held, parallel === true);
  if (cancelled.size === 0) return { ...rest, path, steps };
  const frames = Object.entries(path as Record<string, unknown>).filter(([frame]) => !cancelled.has(frame));
  return { ...rest, path: frames };
}

const lastOf = (entries: readonly JournalEntry[]): string => {
  const last = entries.findLast(({ type }) => type === 'stop' || type === 'end');
  return last?.type === 'stop' ? last.how : last?.type === 'end' ? last.outcome : 'nothing';
};

const ENDS: Readonly<Record<Verb, string>> = { cancel: 'cancelled', interrupt: 'interrupted', pause: 'paused' };

/**
 * Expects that the journal records how the run ended, and that a later resume gives the outcome of an uninterrupted run
 * without executing anything twice.
 */
async function expectControlled(
  scene: TravelScene,
  whole: Held,
  project: Project,
  held: Held,
  verb: Verb,
): Promise<void> {
  const { run, response } = held;
  const cancelled = cancelledIn(whole);
  const entries = project.entries(run);
  if (lastOf(entries) !== ENDS[verb]) {
    // In this case the run had ended before the request arrived.
    expect(comparable(held, scene, cancelled)).toEqual(comparable(whole, scene, cancelled));
    return;
  }
  expect(response.reason).toBe(verb === 'cancel' ? 'cancelled' : 'interrupted');
  expect(response.details).toEqual(verb === 'pause' ? { paused: true } : {});
  expect(project.summary(run)?.status).toBe(ENDS[verb]);
  const done = resultsIn(entries, (one) => !isCutOff(one));
  const settled = resultsIn(entries, () => true);
  const frames = cancelledIn(held);
  if (verb === 'pause')
    expect(held.executed.filter((id) => !settled.has(id) && !frames.has(id.slice(0, id.lastIndexOf('/'))))).toEqual([]);
  expect((await project.replay(run)).kind).toBe('same');
  const again = await project.resume(run);
  if (verb === 'cancel') {
    expect(again.response.reason).toBe('cancelled');
    expect(again.executed).toEqual([]);
    expect(outcomeOf(again)).toEqual(outcomeOf(held));
    expect(project.entries(run)).toEqual(entries);
    return;
  }
  expect(again.executed.filter((id) => done.has(id))).toEqual([]);
  expect(comparable(again, scene, cancelled)).toEqual(comparable(whole, scene, cancelled));
  expect((await project.replay(run)).kind).toBe('same');
}

describe.each(TRAVELS)('$name', (scene) => {
  test.each(VERBS)('%s before and after each sync', async (verb) => {
    verifies('engine.control.stop', 'engine.control.pause', 'engine.control.cancel');
    const whole = await openProject(scene).start();
    for (let at = 0, reached = true; reached; at += 1) {
      reached = at === 0;
      const files = createMemoryFiles();
      const project = openProject(scene, files);
      const drive = (run: KeptRun): void => {
        if (at === 0) run[verb]();
        files.onSync((count) => {
          if (count !== at) return;
          reached = true;
          run[verb]();
        });
      };
      const held = await project.start({ drive });
      files.onSync(() => undefined);
      await expectControlled(scene, whole, project, held, verb);
    }
  });

  test.each(VERBS)('%s while workers execute', async (verb) => {
    const whole = await openProject(scene).start();
    for (let ms = 1; ms < 60; ms += 4) {
      const project = openProject(scene);
      let before = -1;
      const begun: string[] = [];
      const drive = (run: KeptRun): void => {
        run.subscribe((event) => {
          if (event.type === 'block.started') begun.push(event.step_key);
        });
        void project.bench.clock.sleep(ms, new AbortController().signal, '~').then(() => {
          before = begun.length;
          run[verb]();
        });
      };
      const held = await project.start({ drive });
      await expectControlled(scene, whole, project, held, verb);
      if (lastOf(project.entries(held.run)) === ENDS[verb]) expect(begun.slice(before)).toEqual([]);
    }
  });

  test.each(VERBS)('%s while it takes its way again', async (verb) => {
    const project = openProject(scene);
    const whole = await project.start();
    const lines = project.entries(whole.run).length;
    for (const safe of [Math.floor(lines / 3), Math.floor((2 * lines) / 3), lines - 1])
      for (const turns of [0, 1, 2, 3, 5, 9]) {
        const crashed = openProject(scene, project.files.copy());
        crashed.crashAfter(whole.run, safe);
        const drive = async (run: KeptRun): Promise<void> => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          run[verb]();
        };
        const held = await crashed.resume(whole.run, { drive });
        await expectControlled(scene, whole, crashed, held, verb);
      }
  });
});

import type {
  BlockState,
  NodeSpending,
  PastState,
  RowState,
  RunTotals,
  ViewChange,
  ViewFrame,
  Visit,
} from '#protocol/generated/view.gen.ts';
import { nothingChanged, type RunPicture } from './run-picture.ts';

/** The maximum number of visits shown; the oldest are left out. */
const MOST_VISITS = 2_000;

export const totalsOf = ({ spending, activeTime, at }: RunPicture, budgetMicroUsd: number | null): RunTotals => ({
  spending,
  budgetMicroUsd,
  elapsedMs: activeTime.before + (activeTime.from === null ? 0 : Math.max(0, at - activeTime.from)),
  at,
  ticking: activeTime.from !== null,
});

/** The parts of a run's picture that are built from its events. The host adds the rest. */
interface PictureParts {
  readonly blocks: readonly BlockState[];
  readonly rows: readonly RowState[];
  readonly frames: readonly ViewFrame[];
  readonly visits: readonly Visit[];
  readonly earlierVisits: number;
  readonly nodes: readonly NodeSpending[];
}

export function partsOf(picture: RunPicture): PictureParts {
  const visits = [...picture.visits.values()];
  return {
    blocks: [...picture.blocks.values()],
    rows: [...picture.rows.values()],
    frames: [...picture.frames.values()].filter(({ block }) => block !== ''),
    visits: visits.slice(-MOST_VISITS),
    earlierVisits: Math.max(0, visits.length - MOST_VISITS),
    nodes: [...picture.nodes.values()],
  };
}

export function pastOf(picture: RunPicture, step: number, budgetMicroUsd: number | null): PastState {
  const { blocks, rows, frames } = partsOf(picture);
  const totals = { ...totalsOf(picture, budgetMicroUsd), ticking: false };
  return { run: picture.run.run, step, at: picture.at, blocks, rows, frames, totals };
}

const pick = <Value>(names: ReadonlySet<string>, from: ReadonlyMap<string, Value>): readonly Value[] =>
  [...names].flatMap((name) => from.get(name) ?? []);

/**
 * The changes since the last call. `run` and `halts` only state whether these parts have changed; the host supplies
 * their content.
 */
export interface TakenChanges {
  readonly changes: readonly ViewChange[];
  readonly run: boolean;
  readonly halts: boolean;
}

export function takeChanges(picture: RunPicture, budgetMicroUsd: number | null): TakenChanges {
  const { changed, lastTransition } = picture;
  picture.changed = nothingChanged();
  const changes: ViewChange[] = [];
  if (changed.blocks.size > 0) changes.push({ kind: 'blocks', blocks: pick(changed.blocks, picture.blocks) });
  if (changed.rows.size > 0) changes.push({ kind: 'rows', rows: pick(changed.rows, picture.rows) });
  if (changed.visits.size > 0) changes.push({ kind: 'visits', visits: pick(changed.visits, picture.visits) });
  if (changed.frames) changes.push({ kind: 'frames', frames: partsOf(picture).frames });
  if (changed.taken && lastTransition !== null) changes.push({ kind: 'taken', lastTransition });
  if (changed.totals) changes.push({ kind: 'totals', totals: totalsOf(picture, budgetMicroUsd) });
  if (changed.nodes.size > 0) changes.push({ kind: 'nodes', nodes: [...picture.nodes.values()] });
  return { changes, run: changed.run, halts: changed.halts };
}

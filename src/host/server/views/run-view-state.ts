import { haltViews, partsOf, runDetails, runExecutions, totalsOf, viewGraph } from '#engine/index.ts';
import type { HaltView, SessionTab, ViewGraph, WorkflowViewState } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import { NO_SPENDING } from '#protocol/view/add-spending.ts';
import { graphHash } from '../../wire/graph-hash.ts';
import { controlsOf } from './controls.ts';
import type { LiveRun } from './live-runs.ts';
import type { ViewParts } from './view-parts.ts';

const shownGraphs = new WeakMap<Graph, ViewGraph>();

/** Returns a graph as views draw it. Cached per graph. */
export function shownGraph(graph: Graph): ViewGraph {
  const known = shownGraphs.get(graph);
  if (known !== undefined) return known;
  const shown = viewGraph(graph, graphHash(graph));
  shownGraphs.set(graph, shown);
  return shown;
}

/** Returns the complete output of a halted block; null if the halt is over. */
export function haltText(live: LiveRun, halt: string, root: string): string | null {
  const { run, picture, graph } = live;
  const open = runDetails(root, run)?.listing.summary.halts ?? [];
  const views = haltViews({ picture, graph, executions: runExecutions(root, run), open, isWhole: true });
  return views.find((one) => one.halt === halt)?.raw?.text ?? null;
}

/** The reasons of halts at which a person decides on the work so far, and so needs to see its changes. */
const DECIDES: ReadonlySet<string> = new Set<HaltView['why']>(['gate', 'manual']);

/** Returns what a person needs to answer the halts of a run. */
export function haltsOf(
  live: LiveRun,
  { root, gateFiles }: Pick<ViewParts, 'root' | 'gateFiles'>,
): readonly HaltView[] {
  const { run, picture, graph } = live;
  if (picture.halts.size === 0) return [];
  const open = runDetails(root, run)?.listing.summary.halts ?? [];
  const views = haltViews({ picture, graph, executions: runExecutions(root, run), open });
  return views.map((halt) => (DECIDES.has(halt.why) ? { ...halt, files: gateFiles.of(live) } : halt));
}

/** Returns a run with its workflow. */
export function runViewState(live: LiveRun, tab: SessionTab | null, parts: ViewParts): WorkflowViewState {
  const { layouts } = parts;
  const { picture, graph, budgetMicroUsd } = live;
  const shown = shownGraph(graph);
  layouts.find(shown);
  return {
    source: parts.project.manifest()?.file ?? '.vision/workflows.json',
    graph: shown,
    layout: layouts.progress(shown),
    run: picture.run,
    controls: controlsOf(picture, tab),
    ...partsOf(picture),
    lastTransition: picture.lastTransition,
    halts: haltsOf(live, parts),
    totals: totalsOf(picture, budgetMicroUsd),
  };
}

/** Returns the project's workflow without a run; null if it has none. */
export function idleViewState(tab: SessionTab | null, { project, layouts, now }: ViewParts): WorkflowViewState | null {
  const manifest = project.manifest();
  if (manifest?.shown === null || manifest === null) return null;
  const { shown, file } = manifest;
  layouts.find(shown);
  return {
    source: file,
    graph: shown,
    layout: layouts.progress(shown),
    run: null,
    controls: controlsOf(null, tab),
    blocks: [],
    rows: [],
    frames: [],
    lastTransition: null,
    visits: [],
    earlierVisits: 0,
    halts: [],
    totals: {
      spending: NO_SPENDING,
      budgetMicroUsd: null,
      elapsedMs: 0,
      at: now(),
      ticking: false,
    },
    nodes: [],
  };
}

import type { Graph, GraphBlock, GraphNode, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { canonical, findRenames } from './find-renames.ts';
import { describeBlock, describeGraph, describeNode, describeWorker, type Description } from './describe-behaviour.ts';

type Subject = 'manifest' | 'node' | 'block' | 'worker';

/**
 * One difference in the behaviour of two manifests. Ids are those of the second manifest; only removed and renamed
 * items have ids of the first.
 */
export type GraphDifference =
  | { readonly change: 'added' | 'removed'; readonly subject: Subject; readonly id: string }
  | { readonly change: 'renamed'; readonly subject: Subject; readonly id: string; readonly to: string }
  | {
      readonly change: 'changed';
      readonly subject: Subject;
      readonly id: string;
      readonly field: string;
      readonly before: JsonValue;
      readonly after: JsonValue;
    };

/** Compares the behaviour of two graphs. The order of lines, comments, imports and sugar make no difference. */
export function compareGraphs(before: Graph, after: Graph): readonly GraphDifference[] {
  const renames = findRenames(before, after);
  const rename = (id: string): string => renames.get(id) ?? id;
  const differences = [
    ...changes('manifest', 'manifest', describeGraph(before, rename), describeGraph(after, same)),
    ...compareLists(
      'worker',
      before.workers,
      after.workers,
      rename,
      (worker: WorkerDefinition) => worker.name,
      describeWorker,
    ),
    ...compareLists('node', before.nodes, after.nodes, rename, (node: GraphNode) => node.id, describeNode),
    ...compareLists('block', blocksOf(before), blocksOf(after), rename, (block: GraphBlock) => block.id, describeBlock),
  ];
  return differences.filter(isNews(differences));
}

/**
 * Returns a filter that drops changes of `next` that result from an added or removed block, because adding or removing
 * a block changes `next` of its neighbour.
 */
function isNews(all: readonly GraphDifference[]): (difference: GraphDifference) => boolean {
  const moved = new Set<JsonValue>(
    all.flatMap(({ change, id }) => (change === 'added' || change === 'removed' ? [id] : [])),
  );
  return (difference) =>
    difference.change !== 'changed' ||
    difference.field !== 'next' ||
    !(moved.has(difference.before) || moved.has(difference.after));
}

const same = (id: string): string => id;
const blocksOf = (graph: Graph): readonly GraphBlock[] => graph.nodes.flatMap(({ blocks }) => blocks);

function compareLists<Item>(
  subject: Subject,
  before: readonly Item[],
  after: readonly Item[],
  rename: (id: string) => string,
  idOf: (item: Item) => string,
  describe: (item: Item, rename: (id: string) => string) => Description,
): readonly GraphDifference[] {
  const old = new Map(before.map((item) => [rename(idOf(item)), item] as const));
  const kept = new Set(after.map(idOf));
  const removed = before.filter((item) => !kept.has(rename(idOf(item))));
  return [
    ...removed.map((item): GraphDifference => ({ change: 'removed', subject, id: idOf(item) })),
    ...after.flatMap((item): readonly GraphDifference[] => {
      const id = idOf(item);
      const twin = old.get(id);
      if (twin === undefined) return [{ change: 'added', subject, id }];
      const renamed: readonly GraphDifference[] =
        idOf(twin) === id ? [] : [{ change: 'renamed', subject, id: idOf(twin), to: id }];
      return [...renamed, ...changes(subject, id, describe(twin, rename), describe(item, same))];
    }),
  ];
}

function changes(subject: Subject, id: string, before: Description, after: Description): readonly GraphDifference[] {
  const fields = [...before.keys(), ...[...after.keys()].filter((field) => !before.has(field))];
  return fields.flatMap((field): readonly GraphDifference[] => {
    const [old, now] = [before.get(field) ?? null, after.get(field) ?? null];
    return canonical(old) === canonical(now)
      ? []
      : [{ change: 'changed', subject, id, field, before: old, after: now }];
  });
}

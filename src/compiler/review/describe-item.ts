import { type Graph, hasOwnAccess } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { GraphDifference } from '../compare/compare-graphs.ts';
import { describeBlock, describeNode, describeWorker, type Description } from '../compare/describe-behaviour.ts';

/** A setting of an item that was added or removed. */
interface ItemField {
  readonly field: string;
  readonly value: JsonValue;
}

const same = (id: string): string => id;

const EVERYTHING = JSON.stringify([{ kind: 'all' }]);

const isSet = ([field, value]: readonly [string, JsonValue]): boolean =>
  field !== 'next' &&
  value !== null &&
  value !== false &&
  !(typeof value === 'object' && Object.keys(value).length === 0) &&
  !(field === 'payload_merge_strategy' && JSON.stringify(value) === EVERYTHING);

function descriptionOf({ nodes, workers }: Graph, { subject, id }: GraphDifference): Description {
  switch (subject) {
    case 'worker': {
      const worker = workers.find(({ name }) => name === id);
      return worker === undefined ? new Map() : describeWorker(worker);
    }
    case 'node': {
      const node = nodes.find((one) => one.id === id);
      return node === undefined ? new Map() : describeNode(node, same);
    }
    case 'block': {
      const block = nodes.flatMap(({ blocks }) => blocks).find((one) => one.id === id);
      if (block === undefined) return new Map();
      const fields = [...describeBlock(block, same)];
      return new Map(fields.filter(([field]) => field !== 'access' || hasOwnAccess(block.access)));
    }
    case 'manifest':
      return new Map();
  }
}

/**
 * Returns the settings of an added or removed item, without default values. Returns an empty list for other
 * differences.
 */
export function describeItem(one: GraphDifference, before: Graph, after: Graph): readonly ItemField[] {
  if (one.change !== 'added' && one.change !== 'removed') return [];
  const description = descriptionOf(one.change === 'added' ? after : before, one);
  return [...description].filter(isSet).map(([field, value]) => ({ field, value }));
}

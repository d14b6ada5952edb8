import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { whyForbidden } from '../1-parse/report-shape-error.ts';
import { isObject, readFlag, readNumber, readObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import type { Declaration } from './collect-declarations.ts';
import { fullBlock } from './full-names.ts';
import { nameInNode } from './ids.ts';
import { verdictBlocks } from './verdict-blocks.ts';
import type { KnownWorkers } from './worker-names.ts';

export interface PlacedValue<Value> {
  readonly value: Value;
  readonly spot: Spot;
}

export type NodeField = 'entry_block' | 'context_inheritance' | 'max_steps' | 'approvals';

/**
 * The content of a node, before or after `extend` and `mixins` are applied: fields, memory, and blocks by name, each
 * with its place in the text.
 */
export interface NodeContent {
  readonly fields: ReadonlyMap<NodeField, PlacedValue<JsonValue>>;
  readonly memory: ReadonlyMap<string, PlacedValue<JsonValue>>;
  readonly blocks: ReadonlyMap<string, PlacedValue<JsonValue>>;
}

function readFields(node: string, written: JsonObject): NodeContent['fields'] {
  const entry = readString(written, 'entry_block');
  const values: readonly (readonly [NodeField, JsonValue])[] = [
    ['entry_block', entry === null ? null : nameInNode(node, entry)],
    ['context_inheritance', readFlag(written, 'context_inheritance')],
    ['max_steps', readNumber(written, 'max_steps')],
    ['approvals', readString(written, 'approvals')],
  ];
  const present = values.filter(([, value]) => value !== null);
  return new Map(present.map(([key, value]) => [key, { value, spot: { container: written, member: key } }]));
}

function checkBlockName(node: string, key: string, name: string, spot: Spot, { report }: Diagnose): void {
  // A name with characters that are not allowed in ids is skipped, because the shape check has reported it.
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return;
  if (name.includes('__')) {
    report('RS2009', spot, { key, node });
    return;
  }
  const problem = whyForbidden(name);
  if (problem !== null)
    report('RS1016', spot, { name, problem, form: 'letters, digits, `_` and `-`, not only digits' });
}

/**
 * Reads the blocks of a node. Names of workers and signals are completed, and each row with `all` or `any` adds the
 * block of its verdict.
 */
function readBlocks(
  node: string,
  written: JsonObject,
  workers: KnownWorkers,
  diagnose: Diagnose,
): NodeContent['blocks'] {
  const container = readObject(written, 'blocks');
  const blocks = new Map<string, PlacedValue<JsonValue>>();
  if (container === null) return blocks;
  const add = (name: string, value: JsonValue, spot: Spot): void => {
    const earlier = blocks.get(name);
    if (earlier === undefined) blocks.set(name, { value, spot });
    else
      diagnose.report(
        'RS2004',
        spot,
        { kind: 'block', name },
        { related: [diagnose.related(earlier.spot, 'It is declared here first.')] },
      );
  };
  const entries = Object.entries(container);
  entries.forEach(([key, value], index) => {
    const name = nameInNode(node, key);
    const spot: Spot = { container, member: key, side: 'key' };
    checkBlockName(node, key, name, spot, diagnose);
    add(name, isObject(value) ? fullBlock(value, workers, diagnose) : value, spot);
    if (!isObject(value)) return;
    const after = entries[index + 1]?.[0];
    const next = after === undefined ? null : nameInNode(node, after);
    for (const made of verdictBlocks(name, value, next, diagnose)) add(made.name, made.value, made.spot);
  });
  return blocks;
}

function readMemory(written: JsonObject): NodeContent['memory'] {
  const container = readObject(written, 'static_memory');
  const entries = Object.entries(container ?? {});
  return new Map(
    entries.map(([key, value]) => [
      key,
      { value, spot: { container: container ?? written, member: key, side: 'key' } },
    ]),
  );
}

/** Reads the content that a node itself declares, before `extend` and `mixins` are applied. */
export function ownContent({ name, value }: Declaration, workers: KnownWorkers, diagnose: Diagnose): NodeContent {
  if (!isObject(value)) return { fields: new Map(), memory: new Map(), blocks: new Map() };
  return {
    fields: readFields(name, value),
    memory: readMemory(value),
    blocks: readBlocks(name, value, workers, diagnose),
  };
}

import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject, listOr, numberOr, objectOr, stringOr, type Json } from './json-reading.ts';

const mapped = (object: JsonObject, change: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key) ?? null]));

const workerKey = (key: string): string => (key.startsWith('Worker:') ? key : `Worker:${key}`);

const workerName = (written: string, declared: readonly string[]): string => {
  if (written.includes(':')) return written;
  if (declared.includes(`Worker:${written}`)) return `Worker:${written}`;
  return BUILT_IN_WORKER_NAMES.find((name) => name === `Internal:${written}`) ?? written;
};

const signalName = (written: string): string => (written.startsWith('SIGNAL:') ? written : `SIGNAL:${written}`);

const ACTION = /^(?:RETURN|HALT_AND_FLAG|JUMP:.*|CALL:.*|FORK:.*)$/;

/** Returns the action that a text in `on` means. */
const actionText = (text: string): string => {
  if (text === 'done') return 'RETURN';
  if (text === 'person') return 'HALT_AND_FLAG';
  return ACTION.test(text) ? text : `JUMP:${text}`;
};

const isVote = (row: Json): row is JsonObject =>
  isObject(row) && (row['all'] !== undefined || row['any'] !== undefined);

/** Returns the row of the long form that a short row means. `vote` is the block that counts what branches return. */
const longRow = (row: Json, vote: string): Json => {
  if (typeof row === 'string') return { action: actionText(row) };
  if (!isObject(row) || row['action'] !== undefined) return row;
  const { to, at_most: most, call, all, any, ...rest } = row;
  const bound = most === undefined ? {} : { condition: { id: 'visits.less_than', args: [numberOr(most, 0) + 1] } };
  const address = to === undefined ? '' : `:${stringOr(to, '')}`;
  const branches = listOr(all ?? any).map(String);
  const action =
    branches.length > 0
      ? `FORK:${branches.join(',')}:${vote}`
      : call === undefined
        ? actionText(stringOr(to, ''))
        : `CALL:${stringOr(call, '')}${address}`;
  return { ...rest, ...bound, action };
};

const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? listOr(value) : [value]);

const longRows = (rows: JsonObject, block: string): JsonObject => {
  let votes = 0;
  const voteOf = (row: Json): string => {
    if (isVote(row)) votes += 1;
    return votes < 2 ? `${block}_verdict` : `${block}_verdict_${votes}`;
  };
  return mapped(rows, (value) => listed(value).map((row) => longRow(row, voteOf(row)) ?? null));
};

/** Returns the blocks that count the votes of a block, in the long form. */
const votesOf = (name: string, rows: JsonObject, next: string | null): readonly (readonly [string, JsonObject])[] => {
  const votes = Object.values(rows).flatMap(listed).filter(isVote);
  return votes.map((row, index) => {
    const others = Object.entries(rows)
      .filter(([key]) => signalName(key) !== 'SIGNAL:SUCCESS')
      .map(([key, value]) => [key, listed(value).filter((one) => !isVote(one))] as const)
      .filter(([, list]) => list.length > 0);
    const to = row['to'] ?? next ?? 'done';
    const key = index === 0 ? `${name}_verdict` : `${name}_verdict_${index + 1}`;
    const block = {
      worker: 'Internal:Verdict',
      params: { rule: row['all'] === undefined ? 'any' : 'all' },
      on: longRows({ SUCCESS: to, ...Object.fromEntries(others.map(([one, list]) => [one, [...list]])) }, key),
    };
    return [key, block];
  });
};

const longBlocks = (blocks: JsonObject, declared: readonly string[]): JsonObject => {
  const names = Object.keys(blocks);
  const entries = Object.entries(blocks).flatMap(([name, value], index) => {
    const block = objectOr(value);
    const { on } = block;
    const own = {
      ...block,
      worker: workerName(stringOr(block['worker'], ''), declared),
      ...(isObject(on) ? { on: longRows(on, name) } : {}),
    };
    const added = isObject(on) ? votesOf(name, on, names[index + 1] ?? null) : [];
    return [[name, own] as const, ...added];
  });
  return Object.fromEntries(entries);
};

/** Converts a valid manifest of the everyday form to one with full names of workers and whole actions. */
export const withoutEverydayForm = (manifest: JsonObject): JsonObject => {
  const written = objectOr(manifest['workers']);
  const workers = Object.fromEntries(Object.entries(written).map(([key, value]) => [workerKey(key), value]));
  const declared = Object.keys(workers);
  const nodes = mapped(objectOr(manifest['nodes']), (value) => {
    const node = objectOr(value);
    const blocks = longBlocks(objectOr(node['blocks']), declared);
    return { entry_block: Object.keys(blocks)[0] ?? '', ...node, blocks };
  });
  const defaults = objectOr(manifest['default_transitions']);
  return { ...manifest, workers, nodes, default_transitions: longRows(defaults, '') };
};

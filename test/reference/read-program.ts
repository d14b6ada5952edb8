import type { JsonObject } from '#protocol/json.ts';
import { booleanOr, isObject, listOr, numberOr, objectOr, stringOr, type Json } from './json-reading.ts';
import { blockIdOf, parseAction, type Place } from './parse-action.ts';
import { withoutEverydayForm } from './read-everyday-form.ts';
import type { Policy, Program, ProgramBlock, ProgramNode, ProgramWorker, Row } from './program.ts';
import { readShortRows, readSugar, withoutCheck } from './read-sugar.ts';

/** The default side effect class of each worker kind, for workers whose definition states none. */
const KIND_DEFAULT: Readonly<Record<string, string>> = {
  ai: 'none',
  command: 'non_idempotent',
  agent: 'non_idempotent',
  module: 'non_idempotent',
};

const readWorker = (name: string, workers: JsonObject): ProgramWorker => {
  const written = objectOr(workers[name]);
  return {
    name,
    persona: stringOr(written['persona'], null),
    outputType: stringOr(written['output_type'], 'CODE_OUTPUT'),
    sideEffects: stringOr(written['side_effects'], KIND_DEFAULT[stringOr(written['kind'], '')] ?? 'idempotent'),
  };
};

const readPolicy = (written: JsonObject): Policy => {
  if (written['policy'] === 'bubble') return { kind: 'bubble' };
  if (written['policy'] === 'repair') return { kind: 'repair', worker: stringOr(written['worker'], '') };
  return {
    kind: 'retry',
    maxAttempts: numberOr(written['max_attempts'], 2),
    delayMs: numberOr(written['delay_ms'], 0),
    backoff: numberOr(written['backoff'], 1),
    repeatsEffects: booleanOr(written['repeat_effects'], false),
  };
};

const readRow = (written: JsonObject, place: Place): Row => {
  const condition = written['condition'];
  return {
    signal: stringOr(written['on_signal'], ''),
    condition: isObject(condition) ? { id: stringOr(condition['id'], ''), args: listOr(condition['args']) } : null,
    action: parseAction(stringOr(written['action'], ''), place),
  };
};

const ownRows = (written: JsonObject, block: string, place: Place): readonly Row[] => {
  const sugar = readSugar(written['onSuccess'], written['onFailure'], block, place);
  if (sugar !== null)
    return sugar.map((row) => ({ signal: row.signal, condition: null, action: parseAction(row.action, place) }));
  const on = written['on'];
  const rows = isObject(on) ? readShortRows(on) : listOr(written['transitions']);
  return rows.map((row) => readRow(objectOr(row), place));
};

/** Returns the rows of a block, followed by the default rows for signals that no row without a condition handles. */
const readRows = (written: JsonObject, block: string, place: Place, defaults: JsonObject): readonly Row[] => {
  const rows = ownRows(written, block, place);
  const handled = rows.filter(({ condition }) => condition === null).map(({ signal }) => signal);
  if (rows.length === 0 || handled.includes('SIGNAL:FAIL_DEFAULT')) return rows;
  const added = readShortRows(defaults).map((row) => readRow(row, place));
  return [...rows, ...added.filter(({ signal }) => !handled.includes(signal))];
};

const readSchema = (schema: Json): JsonObject | boolean | null =>
  isObject(schema) || typeof schema === 'boolean' ? schema : null;

const readEvidence = ({ command, file, contains }: JsonObject): string => {
  if (command !== undefined) return listOr(command).map(String).join(' ');
  const text = stringOr(contains, null);
  return `file ${stringOr(file, '')}${text === null ? '' : ` with "${text}"`}`;
};

/** The parts of a manifest that a block refers to. */
interface Shared {
  readonly workers: JsonObject;
  readonly commands: JsonObject;
  readonly defaults: JsonObject;
}

const readBlock = (
  id: string,
  block: JsonObject,
  place: Place,
  { workers, commands, defaults }: Shared,
): ProgramBlock => {
  const written = withoutCheck(block, commands);
  const validation = objectOr(written['validation']);
  const recovery = Object.entries(objectOr(written['recovery']));
  const worker = readWorker(stringOr(written['worker'], ''), workers);
  const keyword = validation['signal'] ?? validation['proceedSignal'] ?? written['proceedSignal'];
  return {
    id,
    node: place.node,
    next: place.next,
    worker,
    contract: stringOr(written['contract'], null),
    strategy:
      written['payload_merge_strategy'] === undefined ? ['ALL'] : listOr(written['payload_merge_strategy']).map(String),
    gate: booleanOr(written['gate'], false),
    maxRejections: numberOr(written['max_rejections'], 3),
    timeoutMs: numberOr(
      written['timeout_ms'],
      numberOr(objectOr(workers[stringOr(written['worker'], '')])['timeout_ms'], null),
    ),
    sideEffects: stringOr(written['side_effects'], null),
    keyword: stringOr(keyword, null),
    schema: readSchema(validation['schema']),
    data: readSchema(objectOr(written['answer'])['schema']),
    recovery: new Map(
      recovery.map(([reason, list]) => [reason, listOr(list).map((policy) => readPolicy(objectOr(policy)))]),
    ),
    rows: readRows(written, id, place, defaults),
    params: objectOr(written['params']),
    evidence: listOr(written['evidence']).map((piece) => readEvidence(objectOr(piece))),
  };
};

const readNode = (id: string, written: JsonObject, defaultMaxSteps: number): ProgramNode => ({
  id,
  entry: blockIdOf(stringOr(written['entry_block'], ''), id),
  maxSteps: numberOr(written['max_steps'], defaultMaxSteps),
  inherits: booleanOr(written['context_inheritance'], true),
  staticMemory: objectOr(written['static_memory']),
});

const readBlocks = (node: string, written: JsonObject, shared: Shared): readonly ProgramBlock[] => {
  const blocks = Object.entries(written);
  const ids = blocks.map(([key]) => blockIdOf(key, node));
  return blocks.map(([, block], index) =>
    readBlock(ids[index] ?? '', objectOr(block), { node, next: ids[index + 1] ?? null }, shared),
  );
};

/** Reads a valid manifest without imports, `extends` and mixins. */
export const readProgram = (written: JsonObject): Program => {
  const manifest = withoutEverydayForm(written);
  const shared: Shared = {
    workers: objectOr(manifest['workers']),
    commands: objectOr(manifest['commands']),
    defaults: objectOr(manifest['default_transitions']),
  };
  const defaultMaxSteps = numberOr(manifest['max_steps'], 128);
  const nodes = new Map<string, ProgramNode>();
  const blocks = new Map<string, ProgramBlock>();
  for (const [id, value] of Object.entries(objectOr(manifest['nodes']))) {
    const node = objectOr(value);
    nodes.set(id, readNode(id, node, defaultMaxSteps));
    for (const block of readBlocks(id, objectOr(node['blocks']), shared)) blocks.set(block.id, block);
  }
  return {
    nodes,
    blocks,
    maxRunSteps: numberOr(manifest['max_run_steps'], 10_000),
    maxDepth: numberOr(manifest['max_depth'], 256),
    inputs: new Map(
      Object.entries(objectOr(manifest['inputs'])).map(([name, input]) => [name, objectOr(input)['default'] ?? null]),
    ),
  };
};

import type { AnswerData } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import { type Origin, rootOrigin } from '../1-parse/origins.ts';
import { parseAction } from './action-grammar.ts';
import { desugarCheck, type KnownCommands } from './desugar-check.ts';
import { desugarHandlers } from './desugar-handlers.ts';
import type { HandlerOwner } from './desugar-handlers.ts';
import { desugarShortRows, missingRows } from './desugar-short-rows.ts';
import { desugarValidation } from './desugar-validation.ts';
import { nodeId } from './ids.ts';
import type { PlacedValue } from './own-node.ts';
import { readSchema, type SchemaOptions } from './read-schema.ts';
import type { ResolvedBlock, ResolvedRow } from './resolved-manifest.ts';

/** The `default_transitions` of one file. */
export interface DefaultRows {
  readonly rows: readonly ResolvedRow[];
  /** False if some rows could not be read. */
  readonly complete: boolean;
}

/** The data that the resolution of every block needs. */
export interface Surroundings {
  readonly schemas: SchemaOptions;
  readonly commands: KnownCommands;
  /**
   * The default rows of each file, by the place of the file's root. An import with arguments or renamed names creates
   * an instance of the file with a root of its own.
   */
  readonly defaults: ReadonlyMap<Origin | null, DefaultRows>;
}

const NO_DEFAULTS: DefaultRows = { rows: [], complete: true };

function resolveRow(written: JsonValue, node: string, { report }: Diagnose): ResolvedRow | null {
  if (!isObject(written)) return null;
  const signal = readString(written, 'on_signal');
  const text = readString(written, 'action');
  if (signal === null || text === null) return null;
  const spot = { container: written, member: 'action' };
  const parsed = parseAction(text, node);
  if (!parsed.ok) {
    if (text !== '') report('RS2012', spot, { action: text, problem: parsed.problem }, { near: parsed.near });
    return null;
  }
  return { signal, condition: readObject(written, 'condition'), action: parsed.action, spot, written };
}

const HANDLERS = ['onSuccess', 'onFailure'] as const;

/** Returns the style that a block's rows are written in, or null if it has none. Reports a block with two styles. */
function styleOf(
  written: JsonObject,
  owner: HandlerOwner,
  diagnose: Diagnose,
): 'transitions' | 'on' | 'handlers' | null {
  const handlers = HANDLERS.filter((key) => has(written, key));
  const tables = (['transitions', 'on'] as const).filter((key) => has(written, key));
  const [table = null, second] = tables;
  if (table === null) return handlers.length === 0 ? null : 'handlers';
  const others = second === undefined ? handlers : [second, ...handlers];
  const [first] = others;
  if (first !== undefined) {
    const related = [diagnose.related({ container: written, member: table, side: 'key' }, 'The first style is here.')];
    const spot = { container: written, member: first, side: 'key' } as const;
    diagnose.report('RS2010', spot, { block: owner.id, table, sugar: others.join('` and `') }, { related });
  }
  return table;
}

/** Resolves a block's own rows. */
function ownRows(written: JsonObject, owner: HandlerOwner, diagnose: Diagnose): readonly (ResolvedRow | null)[] {
  switch (styleOf(written, owner, diagnose)) {
    case null:
      return [];
    case 'handlers':
      return desugarHandlers(written, owner);
    case 'on': {
      const rows = readObject(written, 'on');
      return rows === null ? [null] : desugarShortRows(rows, owner, diagnose);
    }
    case 'transitions': {
      const table = readList(written, 'transitions');
      return table === null ? [null] : table.map((row) => resolveRow(row, owner.node, diagnose));
    }
  }
}

/**
 * Resolves the rows of a block, followed by the default rows of the block's file for signals that they do not handle.
 */
function resolveRows(
  written: JsonObject,
  owner: HandlerOwner,
  { defaults }: Surroundings,
  diagnose: Diagnose,
): Pick<ResolvedBlock, 'rows' | 'complete'> {
  const own = ownRows(written, owner, diagnose);
  const read = own.filter((row) => row !== null);
  const complete = read.length === own.length;
  const file = defaults.size === 0 ? null : rootOrigin(diagnose.origins, written);
  const added = (file === null ? undefined : defaults.get(file)) ?? NO_DEFAULTS;
  // A block without rows ends its frame on any signal. Default rows must not change that.
  if (own.length === 0) return { rows: read, complete };
  return { rows: [...read, ...missingRows(read, added.rows)], complete: complete && added.complete };
}

function readAnswerData(written: JsonObject, options: SchemaOptions, diagnose: Diagnose): AnswerData | null {
  const answer = readObject(written, 'answer');
  const schema = answer === null ? null : readSchema(answer, options, diagnose);
  return schema === null ? null : { schema };
}

/** Resolves a composed block: expands its sugar and parses its actions. */
export function resolveBlock(
  name: string,
  placed: PlacedValue<JsonValue>,
  owner: HandlerOwner,
  surroundings: Surroundings,
  diagnose: Diagnose,
): ResolvedBlock {
  const shaped = isObject(placed.value);
  const written = isObject(placed.value) ? placed.value : {};
  const { rows, complete } = resolveRows(written, owner, surroundings, diagnose);
  return {
    id: owner.id,
    name,
    node: nodeId(owner.node),
    written,
    spot: placed.spot,
    next: owner.next,
    rows,
    complete: shaped && complete,
    check: desugarCheck(written, surroundings.commands, diagnose),
    validation: shaped ? desugarValidation(written, owner.id, surroundings.schemas, diagnose) : null,
    answer: shaped ? readAnswerData(written, surroundings.schemas, diagnose) : null,
  };
}

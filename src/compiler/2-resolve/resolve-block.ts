import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readObject, readString } from '../1-parse/json-reader.ts';
import { parseAction } from './action-grammar.ts';
import { desugarHandlers } from './desugar-handlers.ts';
import type { HandlerOwner } from './desugar-handlers.ts';
import { desugarValidation } from './desugar-validation.ts';
import { nodeId } from './ids.ts';
import type { Placed } from './own-node.ts';
import type { SchemaOptions } from './read-schema.ts';
import type { ResolvedBlock, ResolvedRow } from './resolved-manifest.ts';

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

const SUGAR = ['onSuccess', 'onFailure'] as const;

function resolveRows(written: JsonObject, owner: HandlerOwner, diagnose: Diagnose): readonly (ResolvedRow | null)[] {
  const sugar = SUGAR.filter((key) => has(written, key));
  const [first] = sugar;
  if (!has(written, 'transitions')) return first === undefined ? [] : desugarHandlers(written, owner);
  if (first !== undefined) {
    const related = [
      diagnose.related({ container: written, member: 'transitions', side: 'key' }, 'The transitions are here.'),
    ];
    diagnose.report(
      'RS2010',
      { container: written, member: first, side: 'key' },
      { block: owner.id, sugar: sugar.join('` and `') },
      { related },
    );
  }
  const table = readList(written, 'transitions');
  return table === null ? [null] : table.map((row) => resolveRow(row, owner.node, diagnose));
}

/** Resolves a composed block: expands its sugar and parses its actions. */
export function resolveBlock(
  name: string,
  placed: Placed<JsonValue>,
  owner: HandlerOwner,
  options: SchemaOptions,
  diagnose: Diagnose,
): ResolvedBlock {
  const shaped = isObject(placed.value);
  const written = isObject(placed.value) ? placed.value : {};
  const rows = resolveRows(written, owner, diagnose);
  const read = rows.filter((row) => row !== null);
  return {
    id: owner.id,
    name,
    node: nodeId(owner.node),
    written,
    spot: placed.spot,
    next: owner.next,
    rows: read,
    complete: shaped && read.length === rows.length,
    validation: shaped ? desugarValidation(written, owner.id, options, diagnose) : null,
  };
}

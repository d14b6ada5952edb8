import { getNodeValue, type Node } from 'jsonc-parser';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '../1-parse/json-reader.ts';
import { actionText, parseAction } from '../2-resolve/action-grammar.ts';
import { readWay, WORDS, type WayOwner } from '../2-resolve/short-ways.ts';
import { isOpen, signalIn, translateCondition, type Translation } from './translate-names.ts';
import {
  endOf,
  hasComment,
  memberOf,
  membersOf,
  removeMember,
  replaceString,
  type TextEdits,
  inline,
  json,
} from './text-edits.ts';

const valueOf = (node: Node): JsonValue => getNodeValue(node) as JsonValue;

const entriesOf = (node: Node | undefined): readonly Node[] => (node?.type === 'array' ? (node.children ?? []) : []);

const CALL = /^CALL:(?:Node:)?([A-Za-z0-9_-]+)(?::((?:Block:)?[A-Za-z0-9_-]+))?$/;

/** Returns the members that a short row can have instead of an action, if they mean the same; else the action. */
function shortTarget(action: string, owner: WayOwner): JsonObject {
  return candidatesOf(action).find((row) => isSame(row, action, owner)) ?? { action };
}

/** Returns short rows that may mean an action, the shortest first. */
function candidatesOf(action: string): readonly JsonObject[] {
  const word = Object.keys(WORDS).find((one) => WORDS[one] === action);
  if (word !== undefined) return [{ to: word }];
  if (action.startsWith('JUMP:'))
    return [{ to: action.replace(/^JUMP:(?:Block:)?/, '') }, { to: action.slice('JUMP:'.length) }];
  const [, callee, address] = CALL.exec(action) ?? [];
  return callee === undefined ? [] : [{ call: callee, ...(address === undefined ? {} : { to: address }) }];
}

/** Returns whether a short row means an action. Names that cannot be looked up here are compared as they are written. */
function isSame(row: JsonObject, action: string, owner: WayOwner): boolean {
  const way = readWay(row, owner);
  if (!way.ok) return false;
  const [one, other] = [parseAction(way.action, owner.node), parseAction(action, owner.node)];
  return one.ok && other.ok && actionText(one.action) === actionText(other.action);
}

/** Returns the bound that a condition means, or null. */
function boundIn(condition: JsonValue | undefined): number | null {
  if (!isObject(condition) || condition['id'] !== 'visits.less_than' || Object.keys(condition).length !== 2)
    return null;
  const { args } = condition;
  const [limit] = Array.isArray(args) ? (args as readonly JsonValue[]) : [];
  return Array.isArray(args) && args.length === 1 && Number.isInteger(limit) && typeof limit === 'number' && limit >= 2
    ? Math.min(limit - 1, 1_000_000) === limit - 1
      ? limit - 1
      : null
    : null;
}

/** Returns the text to which a row that only says where to go can be shortened; null if it needs more. */
function asText(row: JsonObject, owner: WayOwner): string | null {
  const { action } = row;
  if (typeof action !== 'string' || Object.keys(row).length > 1) return null;
  if (isOpen(action)) return action;
  const { to, call } = shortTarget(action, owner);
  if (call !== undefined) return null;
  return typeof to === 'string' ? to : action;
}

/** Returns the short row of the same meaning, with the target first. */
function shortRow({ action, condition, ...rest }: JsonObject, owner: WayOwner): JsonObject {
  const bound = boundIn(condition);
  const target =
    typeof action === 'string' && !isOpen(action) ? shortTarget(action, owner) : { action: action ?? null };
  const limit = bound === null ? (condition === undefined ? {} : { condition }) : { at_most: bound };
  return 'action' in target ? { ...limit, ...target, ...rest } : { ...target, ...limit, ...rest };
}

/** Shortens the members of a row in place. */
function shortenObject(translation: Translation, row: Node, owner: WayOwner): void {
  const { edits } = translation;
  const action = memberOf(row, 'action');
  const condition = memberOf(row, 'condition');
  const bound = condition === undefined ? null : boundIn(valueOf(condition.value));
  if (condition !== undefined && bound !== null && !hasComment(edits, condition.value)) {
    replaceString(edits, condition.key, 'at_most');
    edits.replace(condition.value.offset, endOf(condition.value), String(bound));
  } else translateCondition(translation, condition?.value);
  if (action === undefined || typeof action.value.value !== 'string' || isOpen(action.value.value)) return;
  const entries = Object.entries(shortTarget(action.value.value, owner));
  const [first, ...others] = entries;
  if (first === undefined || first[0] === 'action') return;
  replaceString(edits, action.key, first[0]);
  edits.replace(action.value.offset, endOf(action.value), json(first[1]));
  for (const [key, value] of others) edits.insert(endOf(action.value), `, ${json(key)}: ${json(value)}`);
}

/** Shortens one entry of `on` or `default_transitions`. */
function shortenEntry(translation: Translation, entry: Node, owner: WayOwner): void {
  const { edits } = translation;
  const value = valueOf(entry);
  if (typeof value === 'string') {
    const text = shortText(value, owner);
    if (text !== json(value)) edits.replace(entry.offset, endOf(entry), text);
    return;
  }
  if (!isObject(value)) return;
  const text = hasComment(edits, entry) ? null : asText(value, owner);
  if (text === null) shortenObject(translation, entry, owner);
  else edits.replace(entry.offset, endOf(entry), json(text));
}

/** Returns the JSON text of the short row for an action that is written as a text. */
function shortText(text: string, owner: WayOwner): string {
  const way = isOpen(text) ? null : readWay(text, owner);
  if (way?.ok !== true) return json(text);
  const target = shortTarget(way.action, owner);
  if (typeof target['call'] === 'string') {
    const to = typeof target['to'] === 'string' ? `, "to": ${json(target['to'])}` : '';
    return `{ "call": ${json(target['call'])}${to} }`;
  }
  return json(target['to'] ?? text);
}

/** Shortens rows that are an object by signal. */
export function shortenShortRows(translation: Translation, rows: Node | undefined, node: string | null): void {
  const owner: WayOwner = {
    node,
    siblings: node === null ? new Set() : translation.names.blocks,
    verdict: null,
  };
  for (const { name, key, value } of membersOf(rows)) {
    const signal = signalIn('short', name);
    if (signal !== name) replaceString(translation.edits, key, signal);
    for (const entry of value.type === 'array' ? entriesOf(value) : [value]) shortenEntry(translation, entry, owner);
  }
}

const ROW_KEYS: ReadonlySet<string> = new Set(['on_signal', 'condition', 'action', 'means']);

interface Row {
  readonly row: Node;
  readonly signal: string;
}

/** Returns the rows in groups of one signal; null if they cannot be written by signal. */
function groupsOf(table: Node): readonly (readonly Row[])[] | null {
  const groups: Row[][] = [];
  const seen = new Set<string>();
  for (const row of entriesOf(table)) {
    const signal: unknown = memberOf(row, 'on_signal')?.value.value;
    if (
      typeof signal !== 'string' ||
      isOpen(signal) ||
      signalIn('long', signal) !== signalIn('long', signalIn('short', signal))
    )
      return null;
    if (!membersOf(row).every(({ name }) => ROW_KEYS.has(name)) || memberOf(row, 'action') === undefined) return null;
    const key = signalIn('short', signal);
    const last = groups.at(-1);
    if (last?.[0]?.signal === key) last.push({ row, signal: key });
    // Rows of one signal that are apart would change their order.
    else if (seen.has(key)) return null;
    else groups.push([{ row, signal: key }]);
    seen.add(key);
  }
  return groups.length === 0 ? null : groups;
}

function shortenRow(translation: Translation, row: Node, owner: WayOwner): void {
  const { edits } = translation;
  const value = valueOf(row);
  const signal = memberOf(row, 'on_signal');
  if (!isObject(value) || signal === undefined) return;
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'on_signal'));
  const text = hasComment(edits, row) ? null : asText(rest, owner);
  if (text !== null) {
    edits.replace(row.offset, endOf(row), json(text));
    return;
  }
  if (
    !/[\n/]/.test(edits.source.slice(row.offset, endOf(row))) &&
    !('condition' in rest && boundIn(rest['condition']) === null)
  ) {
    edits.replace(row.offset, endOf(row), inline(shortRow(rest, owner)));
    return;
  }
  removeMember(edits, row, signal);
  shortenObject(translation, row, owner);
}

function writeGroup(edits: TextEdits, group: readonly Row[]): void {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return;
  const isList = group.length > 1;
  edits.insert(first.row.offset, `${json(first.signal)}: ${isList ? '[' : ''}`);
  if (isList) edits.insert(endOf(last.row), ']');
}

/** Rewrites the `transitions` of a block as `on`, if that keeps their order and all of their keys. */
export function shortenTransitions(translation: Translation, node: string, block: Node): void {
  const { edits, names } = translation;
  const table = memberOf(block, 'transitions');
  if (table?.value.type !== 'array' || memberOf(block, 'on') !== undefined) return;
  const owner: WayOwner = { node, siblings: names.blocks, verdict: null };
  const groups = groupsOf(table.value);
  if (groups === null) {
    for (const row of entriesOf(table.value)) shortenSignal(translation, row);
    return;
  }
  replaceString(edits, table.key, 'on');
  edits.replace(table.value.offset, table.value.offset + 1, '{');
  for (const group of groups) writeGroup(edits, group);
  for (const { row } of groups.flat()) shortenRow(translation, row, owner);
  edits.replace(endOf(table.value) - 1, endOf(table.value), '}');
}

/** Shortens the signals of a row that stays a row of `transitions`. */
function shortenSignal(translation: Translation, row: Node): void {
  const signal = memberOf(row, 'on_signal')?.value;
  if (typeof signal?.value === 'string') {
    const short = signalIn('short', signal.value);
    if (short !== signal.value) replaceString(translation.edits, signal, short);
  }
  translateCondition(translation, memberOf(row, 'condition')?.value);
}

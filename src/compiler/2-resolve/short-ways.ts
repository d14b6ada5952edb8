import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { has, isObject, readList, readNumber, readObject, readString, strings } from '../1-parse/json-reader.ts';
import { isVerb, VERBS } from './action-grammar.ts';
import { withoutPrefix } from './ids.ts';

/** The words that stand for an action without a target. */
export const WORDS: Readonly<Record<string, string>> = { done: 'RETURN', person: 'HALT_AND_FLAG' };

/** The block whose rows are read, as far as the meaning of the rows depends on it. */
export interface WayOwner {
  /** The node of the block; null for `default_transitions`, which belong to no block. */
  readonly node: string | null;
  /** The names of the node's blocks. */
  readonly siblings: ReadonlySet<string>;
  /** The name of the block that counts what the branches of `all` or `any` return; null if the rows belong to no block. */
  readonly verdict: string | null;
}

type WayKey = 'action' | 'to' | 'call' | 'all' | 'any';

/** The row of the long form that a short row means. */
interface Way {
  readonly ok: true;
  /** The action in the long form. */
  readonly action: string;
  readonly condition: JsonObject | null;
  /** The key that names the target; null if the row is a text. */
  readonly key: WayKey | null;
}

type WayResult =
  | Way
  /** `problem` completes the sentence "can't be read: …". */
  | { readonly ok: false; readonly problem: string }
  /** The word of `WORDS` is a block, too. */
  | { readonly ok: false; readonly ambiguous: string }
  /** The shape check has reported the row. */
  | { readonly ok: false };

type Text = { readonly text: string } | { readonly ambiguous: string };

const REFERENCE = /^(?:Block:)?[A-Za-z0-9_-]+$/;

/**
 * Returns the action that a text means: a word of `WORDS`, a block to go to, or the action itself. A text that only
 * resembles a verb is returned as it is, so that it is reported as a malformed action.
 */
function actionOf(text: string, { siblings }: WayOwner): Text {
  const word = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  if (word !== undefined) return siblings.has(text) ? { ambiguous: text } : { text: word };
  const isBlock = REFERENCE.test(text) && !VERBS.includes(text) && (siblings.has(text) || !isVerb(text));
  return { text: isBlock ? `JUMP:${text}` : text };
}

/** Returns whether a text in `on` names a block, as far as the text alone says. */
export const isTarget = (text: string): boolean => REFERENCE.test(text) && !Object.hasOwn(WORDS, text) && !isVerb(text);

/** Returns the branches of a FORK; null if some can't be read. */
function branchesOf(value: JsonObject, key: 'all' | 'any'): readonly string[] | null {
  const list = readList(value, key);
  const names = strings(list).map((name) => withoutPrefix(name, 'Node:'));
  return list === null || names.length === 0 || names.length < list.length || names.includes('') ? null : names;
}

/** Returns a node before a return address: without the prefix, a node that is named `Node` would be read as the prefix. */
const beforeAddress = (node: string): string => (node === 'Node' ? 'Node:Node' : node);

function readCall(value: JsonObject, { siblings }: WayOwner): Text | { readonly problem: string } | null {
  const callee = withoutPrefix(readString(value, 'call') ?? '', 'Node:');
  const to = readString(value, 'to');
  if (callee === '' || to === '' || (to === null && has(value, 'to'))) return null;
  if (to === null) return { text: `CALL:${callee}` };
  if (!REFERENCE.test(to) || (Object.hasOwn(WORDS, to) && !siblings.has(to)))
    return { problem: `a call continues at a block, and "${to}" is none` };
  return { text: `CALL:${beforeAddress(callee)}:${to}` };
}

function readJump(value: JsonObject, owner: WayOwner): Text | { readonly problem: string } | null {
  const to = readString(value, 'to');
  if (to === null || to === '') return null;
  if (!REFERENCE.test(to) || VERBS.includes(to))
    return { problem: `\`to\` names a block, and "${to}" is an action. Write it as \`action\`` };
  return actionOf(to, owner);
}

function readTarget(value: JsonObject, key: WayKey, owner: WayOwner): Text | { readonly problem: string } | null {
  switch (key) {
    case 'to':
      return readJump(value, owner);
    case 'call':
      return readCall(value, owner);
    case 'action': {
      const text = readString(value, 'action');
      return text === null ? null : { text };
    }
    case 'all':
    case 'any': {
      const branches = branchesOf(value, key);
      if (branches === null) return null;
      const { verdict } = owner;
      if (verdict === null) return { problem: `\`${key}\` belongs to the rows of a block` };
      return { text: `FORK:${[...branches.slice(0, -1), beforeAddress(branches.at(-1) ?? '')].join(',')}:${verdict}` };
    }
  }
}

const KEYS: readonly WayKey[] = ['action', 'call', 'all', 'any'];

const OTHER_KEYS: readonly string[] = ['at_most', 'condition', 'means'];

/**
 * Returns the key that says where a row leads, or why it is not clear. Null if it has an unknown key instead, which the
 * shape check has reported.
 */
function keyOf(value: JsonObject): WayKey | { readonly problem: string } | null {
  const [key, other] = KEYS.filter((one) => has(value, one));
  if (other !== undefined) return { problem: `it has both \`${String(key)}\` and \`${other}\`` };
  if (key === 'action' && has(value, 'to')) return { problem: 'it has both `action` and `to`' };
  if (key !== undefined) return key;
  if (has(value, 'to')) return 'to';
  return Object.keys(value).every((one) => OTHER_KEYS.includes(one))
    ? { problem: 'it does not say where to go' }
    : null;
}

function readBound(value: JsonObject): { readonly condition: JsonObject | null } | { readonly problem: string } {
  const condition = readObject(value, 'condition');
  const most = readNumber(value, 'at_most');
  if (most === null) return { condition };
  if (has(value, 'condition')) return { problem: '`at_most` is a condition itself, and a row has one `condition`' };
  return { condition: { id: 'visits.less_than', args: [most + 1] } };
}

/** Translates a short row, which is one value of `on` or one entry of a list in it, to the long form. */
export function readWay(value: JsonValue | undefined, owner: WayOwner): WayResult {
  if (typeof value === 'string') {
    const read = actionOf(value, owner);
    return 'ambiguous' in read
      ? { ok: false, ambiguous: read.ambiguous }
      : { ok: true, action: read.text, condition: null, key: null };
  }
  if (!isObject(value)) return { ok: false };
  const key = keyOf(value);
  if (key === null) return { ok: false };
  if (typeof key !== 'string') return { ok: false, problem: key.problem };
  const target = readTarget(value, key, owner);
  if (target === null) return { ok: false };
  if ('problem' in target) return { ok: false, problem: target.problem };
  if ('ambiguous' in target) return { ok: false, ambiguous: target.ambiguous };
  const bound = readBound(value);
  return 'problem' in bound
    ? { ok: false, problem: bound.problem }
    : { ok: true, action: target.text, condition: bound.condition, key };
}

/** Returns whether a short row is a FORK with its verdict. */
export const hasVerdict = (value: JsonValue | undefined): value is JsonObject =>
  isObject(value) && !has(value, 'action') && !has(value, 'call') && (has(value, 'all') || has(value, 'any'));

/** Returns the name of the block that counts what the branches of a row return. Rows are counted from 1. */
export const verdictName = (block: string, row: number): string =>
  row === 1 ? `${block}_verdict` : `${block}_verdict_${String(row)}`;

import type { Node } from 'jsonc-parser';
import { getNodeValue } from 'jsonc-parser';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { nameInNode } from '../2-resolve/ids.ts';
import { hasVerdict, readWay, verdictName, type WayOwner, WORDS } from '../2-resolve/short-ways.ts';
import { isOpen, signalIn, translateCondition, type Translation } from './translate-names.ts';
import {
  endOf,
  type Member,
  memberOf,
  membersOf,
  removeBrackets,
  removeKey,
  removeMember,
  replaceString,
  inline,
  json,
} from './text-edits.ts';

const valueOf = (node: Node): JsonValue => getNodeValue(node) as JsonValue;

const entriesOf = (node: Node): readonly Node[] => (node.type === 'array' ? (node.children ?? []) : [node]);

/** Replaces the members of a row that say where it leads by `action` and `condition`. */
function lengthenObject(translation: Translation, row: Node, owner: WayOwner): void {
  const { edits } = translation;
  const way = readWay(valueOf(row), owner);
  if (!way.ok) return;
  translateCondition(translation, memberOf(row, 'condition')?.value);
  const most = memberOf(row, 'at_most');
  if (most !== undefined) {
    replaceString(edits, most.key, 'condition');
    edits.replace(most.value.offset, endOf(most.value), inline(way.condition));
  }
  const target = way.key === null ? undefined : memberOf(row, way.key);
  if (target === undefined || way.key === 'action') return;
  replaceString(edits, target.key, 'action');
  edits.replace(target.value.offset, endOf(target.value), json(way.action));
  const to = way.key === 'to' ? undefined : memberOf(row, 'to');
  if (to !== undefined) removeMember(edits, row, to);
}

/** Writes one entry of `on` as a row of `transitions`. */
function lengthenEntry(translation: Translation, signal: string, entry: Node, owner: WayOwner): void {
  const { edits } = translation;
  const start = `{ "on_signal": ${json(signalIn('long', signal))}, `;
  if (entry.type === 'object') {
    edits.replace(entry.offset, entry.offset + 1, start.trimEnd());
    lengthenObject(translation, entry, owner);
    return;
  }
  const way = readWay(valueOf(entry), owner);
  if (way.ok) edits.replace(entry.offset, endOf(entry), `${start}"action": ${json(way.action)} }`);
}

/** Returns the owner of each entry of rows in written order, with the name of the entry's verdict. */
function ownersOf(rows: Node, name: string, owner: Omit<WayOwner, 'verdict'>): ReadonlyMap<Node, WayOwner> {
  let verdicts = 0;
  const entries = membersOf(rows).flatMap(({ value }) => entriesOf(value));
  return new Map(
    entries.map((entry) => {
      if (hasVerdict(valueOf(entry))) verdicts += 1;
      return [entry, { ...owner, verdict: verdictName(name, verdicts) }];
    }),
  );
}

/** Returns whether every entry can be translated: it can be read and contains no placeholder. */
const isReadable = (owners: ReadonlyMap<Node, WayOwner>): boolean =>
  [...owners].every(([entry, owner]) => !isOpen(json(valueOf(entry))) && readWay(valueOf(entry), owner).ok);

interface Row {
  readonly signal: string;
  readonly entry: Node;
  readonly owner: WayOwner;
}

const rowsOf = (on: Node, owners: ReadonlyMap<Node, WayOwner>): readonly Row[] =>
  membersOf(on).flatMap(({ name, value }) =>
    entriesOf(value).flatMap((entry): readonly Row[] => {
      const owner = owners.get(entry);
      return owner === undefined ? [] : [{ signal: signalIn('long', name), entry, owner }];
    }),
  );

/** Returns a condition in which the signal of `returned.*` has its prefix. */
function withFullSignal(condition: JsonObject): JsonObject {
  const { id, args } = condition;
  if (typeof id !== 'string' || !id.startsWith('returned.') || !Array.isArray(args)) return condition;
  const [first = null, ...others] = args as readonly JsonValue[];
  return { ...condition, args: [typeof first === 'string' ? signalIn('long', first) : first, ...others] };
}

/** Returns a row of the long form as text. */
function rowText({ signal, entry, owner }: Row): string {
  const value = valueOf(entry);
  const way = readWay(value, owner);
  if (!way.ok) return '';
  const means = typeof value === 'object' && value !== null && 'means' in value ? value['means'] : undefined;
  const { action, condition } = way;
  return inline({
    on_signal: signal,
    ...(condition === null ? {} : { condition: withFullSignal(condition) }),
    action,
    ...(means === undefined ? {} : { means }),
  });
}

/** Returns the members of a node's `blocks` for the verdicts of a block, as text. */
function verdictTexts(rows: readonly Row[], name: string, next: string | null): readonly string[] {
  const isVerdict = ({ entry }: Row): boolean => hasVerdict(valueOf(entry));
  const others = rows.filter((row) => row.signal !== 'SIGNAL:SUCCESS' && !isVerdict(row)).map(rowText);
  return rows.filter(isVerdict).map(({ entry, owner }, index) => {
    const rule = memberOf(entry, 'all') === undefined ? 'any' : 'all';
    const to = memberOf(entry, 'to')?.value.value as string | undefined;
    const way = to === undefined ? null : readWay({ to }, owner);
    const onward = next === null ? 'RETURN' : `JUMP:${next}`;
    const success = inline({ on_signal: 'SIGNAL:SUCCESS', action: way?.ok === true ? way.action : onward });
    const start = `"worker": "Internal:Verdict", "params": { "rule": ${json(rule)} }`;
    return `${json(verdictName(name, index + 1))}: { ${start}, "transitions": [\n${[success, ...others].join(',\n')}\n] }`;
  });
}

/** Rewrites the `on` of a block as `transitions`. */
export function lengthenRows(translation: Translation, node: string, blocks: readonly Member[], index: number): void {
  const { edits, names } = translation;
  const [block, after] = [blocks[index], blocks[index + 1]];
  const on = memberOf(block?.value, 'on');
  if (block === undefined || on?.value.type !== 'object') return;
  const name = nameInNode(node, block.name);
  // The manifest has no errors, so a word in it is no block.
  const siblings = new Set([...names.blocks].filter((one) => !Object.hasOwn(WORDS, one)));
  const owners = ownersOf(on.value, name, { node, siblings });
  if (!isReadable(owners)) return;
  replaceString(edits, on.key, 'transitions');
  edits.replace(on.value.offset, on.value.offset + 1, '[');
  for (const member of membersOf(on.value)) {
    removeKey(edits, member);
    if (member.value.type === 'array') removeBrackets(edits, member.value);
  }
  const rows = rowsOf(on.value, owners);
  for (const { signal, entry, owner } of rows) lengthenEntry(translation, signal, entry, owner);
  edits.replace(endOf(on.value) - 1, endOf(on.value), ']');
  const next = after === undefined ? null : nameInNode(node, after.name);
  for (const text of verdictTexts(rows, name, next)) edits.insert(endOf(block.value), `,\n${text}`);
}

/** Rewrites the values of `default_transitions`, which stay an object by signal. */
export function lengthenDefaults(translation: Translation, rows: Node | undefined): void {
  const { edits } = translation;
  const owner: WayOwner = { node: null, siblings: new Set(), verdict: null };
  for (const { name, key, value } of membersOf(rows)) {
    const signal = signalIn('long', name);
    if (signal !== name) replaceString(edits, key, signal);
    for (const entry of entriesOf(value)) {
      const way = isOpen(json(valueOf(entry))) ? null : readWay(valueOf(entry), owner);
      if (entry.type === 'object') lengthenObject(translation, entry, owner);
      else if (way?.ok === true) replaceString(edits, entry, way.action);
    }
  }
}

/** Completes the signals of the rows of `transitions`. */
export function lengthenTransitions(translation: Translation, rows: Node | undefined): void {
  for (const row of rows?.type === 'array' ? (rows.children ?? []) : []) {
    const signal = memberOf(row, 'on_signal')?.value;
    if (typeof signal?.value === 'string' && signalIn('long', signal.value) !== signal.value)
      replaceString(translation.edits, signal, signalIn('long', signal.value));
    translateCondition(translation, memberOf(row, 'condition')?.value);
  }
}

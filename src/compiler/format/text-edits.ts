import { createScanner, type Node } from 'jsonc-parser';
import type { JsonValue } from '#protocol/json.ts';

/** A replacement of a range of a text; `to` is exclusive. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Edits of one text that do not overlap. Everything that no edit covers stays as it is, comments too. */
export interface TextEdits {
  readonly source: string;
  replace(from: number, to: number, text: string): void;
  insert(at: number, text: string): void;
  /** Returns the text with all edits. Edits at the same place are applied in the order in which they were added. */
  apply(): string;
}

export function textEdits(source: string): TextEdits {
  const edits: Edit[] = [];
  return {
    source,
    replace: (from, to, text) => void edits.push({ from, to, text }),
    insert: (at, text) => void edits.push({ from: at, to: at, text }),
    apply: () => {
      const parts: string[] = [];
      let end = 0;
      for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
        parts.push(source.slice(end, from), text);
        end = Math.max(end, to);
      }
      return parts.join('') + source.slice(end);
    },
  };
}

/** A member of a JSON object. */
export interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node;
}

/** Returns the members of a JSON object in written order; none for other values. */
export const membersOf = (node: Node | undefined): readonly Member[] =>
  node?.type === 'object'
    ? (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
        key === undefined || value === undefined ? [] : [{ name: String(key.value), key, value }],
      )
    : [];

export const memberOf = (node: Node | undefined, name: string): Member | undefined =>
  membersOf(node).find((member) => member.name === name);

export const endOf = ({ offset, length }: Node): number => offset + length;

/** Replaces the text of a JSON string. */
export const replaceString = (edits: TextEdits, node: Node, text: string): void =>
  edits.replace(node.offset, endOf(node), JSON.stringify(text));

/** Returns the tokens of a range with their offsets, comments and white space included. */
function tokensIn(source: string, from: number, to: number): readonly (readonly [text: string, offset: number])[] {
  const scanner = createScanner(source.slice(from, to), false);
  const tokens: (readonly [string, number])[] = [];
  while (from + scanner.getPosition() < to) {
    scanner.scan();
    const start = from + scanner.getTokenOffset();
    tokens.push([source.slice(start, start + scanner.getTokenLength()), start]);
  }
  return tokens;
}

/** Returns the offset of the first comma or colon in a range, outside of comments and strings; null if there is none. */
const offsetOf = (mark: ',' | ':', source: string, from: number, to: number): number | null =>
  tokensIn(source, from, to).find(([text]) => text === mark)?.[1] ?? null;

/** Removes a range if it contains white space only, so that no empty line remains. */
function removeBlank(edits: TextEdits, from: number, to: number): void {
  if (from < to && /^\s*$/.test(edits.source.slice(from, to))) edits.replace(from, to, '');
}

/** Removes a member of an object with its comma. Comments beside it stay. */
export function removeMember(edits: TextEdits, object: Node, { key, value }: Member): void {
  const { source } = edits;
  const members = membersOf(object);
  const index = members.findIndex((member) => member.key === key);
  const [before, after] = [members[index - 1], members[index + 1]];
  const end = endOf(value);
  edits.replace(key.offset, end, '');
  const comma = offsetOf(',', source, end, after?.key.offset ?? endOf(object));
  if (comma !== null && (after !== undefined || before === undefined)) {
    edits.replace(comma, comma + 1, '');
    removeBlank(edits, comma + 1, after?.key.offset ?? comma + 1);
  } else if (before !== undefined) {
    const earlier = offsetOf(',', source, endOf(before.value), key.offset);
    if (earlier === null) return;
    edits.replace(earlier, earlier + 1, '');
    removeBlank(edits, earlier + 1, key.offset);
  }
}

/** Removes the key of a member and its colon, so that only the value is left. Comments between them stay. */
export function removeKey(edits: TextEdits, { key, value }: Member): void {
  const end = endOf(key);
  const colon = offsetOf(':', edits.source, end, value.offset) ?? end;
  edits.replace(key.offset, colon + 1, '');
  removeBlank(edits, colon + 1, value.offset);
}

/** Removes the brackets of a list, and the comma after its last entry, so that only the entries are left. */
export function removeBrackets(edits: TextEdits, list: Node): void {
  const { children = [] } = list;
  const [first, last] = [children[0], children.at(-1)];
  const end = endOf(list) - 1;
  edits.replace(list.offset, list.offset + 1, '');
  if (first !== undefined) removeBlank(edits, list.offset + 1, first.offset);
  const from = last === undefined ? list.offset + 1 : endOf(last);
  const comma = offsetOf(',', edits.source, from, end);
  if (comma !== null) edits.replace(comma, comma + 1, '');
  removeBlank(edits, comma === null ? from : comma + 1, end);
  edits.replace(end, end + 1, '');
}

/** Returns whether the text of a value contains a comment. */
export const hasComment = ({ source }: TextEdits, node: Node): boolean =>
  tokensIn(source, node.offset, endOf(node)).some(([text]) => /^\/[/*]/.test(text));

export const json = (value: unknown): string => JSON.stringify(value);

/** Returns a JSON value as text on one line, with blanks as the formatter writes them. */
export const inline = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map((one: JsonValue) => inline(one)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return json(value);
  const members = Object.entries(value).map(([key, one]) => `${json(key)}: ${inline(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

import { findNodeAtLocation, getLocation, type Location as JsonLocation, type Node } from 'jsonc-parser';
import type { ManifestProject } from '../project/manifest-project.ts';
import { type Role, roleAt } from '#compiler/index.ts';
import { fullSignal, hasSignalKeys, shortSignal } from '../names/signal-keys.ts';
import { schemasAt } from '../schema/schema-at.ts';
import type { Schema } from '../schema/manifest-schema.ts';
import type { ManifestDocument } from '../text/document.ts';
import type { Position, Span } from '../text/place.ts';
import type { Completion, Offer } from './completion.ts';
import { offerAction, offerMerge, type PartOffers } from './offer-parts.ts';
import { offerArguments, offerArgumentValues } from './offer-arguments.ts';
import { type KeyOffer, keysOf, offerEnum, offerKeys } from './offer-schema.ts';
import { offerSignals, offerValues } from './offer-values.ts';

/** Returns completions for the keys of rows by signal (`on`, `default_transitions`): the signals without a row. */
function offerSignalKeys(project: ManifestProject, present: ReadonlySet<string>): readonly KeyOffer[] {
  const handled = new Set([...present].map(fullSignal));
  return offerSignals(project)
    .filter(({ text }) => !handled.has(text))
    .map(({ text, detail }): KeyOffer => ({
      name: shortSignal(text),
      value: '"$1"',
      isRequired: false,
      description: detail,
      continues: true,
    }));
}

interface Cursor {
  readonly document: ManifestDocument;
  readonly offset: number;
  readonly at: JsonLocation;
}

/** Returns the span of a JSON string without its quotes. An unterminated string ends at the end of its line. */
function contentOf({ text }: ManifestDocument, { offset, length }: Node): Span {
  const end = offset + length;
  const isClosed = length > 1 && text[end - 1] === '"';
  return { from: offset + 1, to: isClosed ? end - 1 : end };
}

const isInString = ({ document: { text }, offset, at: { previousNode } }: Cursor): boolean =>
  previousNode?.type === 'string' &&
  offset > previousNode.offset &&
  (offset < previousNode.offset + previousNode.length ||
    (offset === previousNode.offset + previousNode.length && text[offset - 1] !== '"') ||
    (previousNode.length === 1 && offset === previousNode.offset + 1));

function toCompletion(cursor: Cursor, span: Span, offer: Offer, newText: string): Completion {
  const { text, kind, detail, documentation = '', continues = false } = offer;
  const range = cursor.document.rangeOf(span);
  return { label: text, kind, detail, documentation, continues, range, newText, filterText: newText, isSnippet: false };
}

function partsFor(project: ManifestProject, role: Role, text: string, at: number): PartOffers {
  if (role.kind === 'action') return offerAction(project, text, at, role.node);
  if (role.kind === 'merge') return offerMerge(project, text, at, role.node);
  if (role.kind === 'way' && text.includes(':') && !text.startsWith('Block:'))
    return offerAction(project, text, at, role.node);
  const namesBlock = role.kind === 'block' || role.kind === 'target' || role.kind === 'way';
  const prefix = role.kind === 'node' ? 'Node:' : namesBlock ? 'Block:' : null;
  const from = prefix !== null && text.startsWith(prefix) && at >= prefix.length ? prefix.length : 0;
  const offers = offerValues(project, role);
  // A signal without a prefix that is nowhere else in the manifest is the one that is being typed.
  const isTyped = (name: string): boolean =>
    role.kind === 'signal' && name === fullSignal(text) && project.names.places({ kind: 'signal', name }).length === 1;
  return { span: { from, to: text.length }, offers: offers.filter((one) => text === one.text || !isTyped(one.text)) };
}

/** Returns completions for a string at the cursor, or for a string that can be started there. */
function completeText(project: ManifestProject, cursor: Cursor, role: Role): readonly Completion[] {
  const { document, offset, at } = cursor;
  const { previousNode } = at;
  if (previousNode !== undefined && isInString(cursor)) {
    const content = contentOf(document, previousNode);
    const written = document.text.slice(content.from, content.to);
    const { span, offers } = partsFor(project, role, written, offset - content.from);
    // The whole string is replaced, as VS Code's own completions do, which would otherwise be ranked before these.
    const whole = { from: previousNode.offset, to: Math.max(content.to, previousNode.offset + previousNode.length) };
    const [before, after] = [written.slice(0, span.from), written.slice(span.to)];
    return offers.map((offer) => {
      const text = `"${before}${JSON.stringify(offer.text).slice(1, -1)}${after}"`;
      const item = toCompletion(cursor, whole, offer, text);
      // The next part is completed inside the string.
      return offer.continues === true
        ? { ...item, newText: `${escaped(text.slice(0, -1))}$0"`, isSnippet: true }
        : item;
    });
  }
  const { offers } = partsFor(project, role, '', 0);
  const here = { from: offset, to: offset };
  return offers.map((offer) => toCompletion(cursor, here, offer, JSON.stringify(offer.text)));
}

/** Returns the span of the JSON value at the cursor, including quotes; an empty span if there is no value yet. */
function valueSpan({ offset, at: { previousNode, isAtPropertyKey } }: Cursor): Span {
  const isHere =
    previousNode !== undefined &&
    !isAtPropertyKey &&
    previousNode.offset <= offset &&
    offset <= previousNode.offset + previousNode.length &&
    previousNode.type !== 'property';
  return isHere
    ? { from: previousNode.offset, to: previousNode.offset + previousNode.length }
    : { from: offset, to: offset };
}

function completeEnum(project: ManifestProject, cursor: Cursor, schema: Schema): readonly Completion[] {
  const { document, at } = cursor;
  const schemas = schemasAt(schema, document.tree, at.path);
  const span = valueSpan(cursor);
  const offers = [...offerEnum(schemas, schema), ...offerArgumentValues(project, document, at.path)];
  return offers.map((offer) => ({
    ...toCompletion(cursor, span, { ...offer, detail: '', documentation: offer.detail }, offer.text),
    label: offer.text.replace(/^"(.*)"$/, '$1'),
  }));
}

/** Returns a comma if another key follows the cursor, else an empty string. */
function commaAfter({ text }: ManifestDocument, offset: number): string {
  const next = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(.)/.exec(text.slice(offset, offset + 2_000))?.[1];
  return next === '"' ? ',' : '';
}

const escaped = (text: string): string => text.replaceAll(/[$}\\]/g, String.raw`\$&`);

function completeKey(project: ManifestProject, cursor: Cursor, schema: Schema): readonly Completion[] {
  const { document, offset, at } = cursor;
  const path = at.path.slice(0, -1);
  const owner = document.tree === undefined ? undefined : findNodeAtLocation(document.tree, [...path]);
  const { previousNode } = at;
  const isWritten = previousNode !== undefined && isInString(cursor);
  const end = previousNode === undefined ? offset : previousNode.offset + previousNode.length;
  const span = isWritten ? { from: previousNode.offset, to: end } : { from: offset, to: offset };
  const hasValue = isWritten && /^\s*:/.test(document.text.slice(end, end + 200));
  const present = keysOf(owner);
  const others = isWritten ? new Set([...present].filter((name) => name !== previousNode.value)) : present;
  const comma = commaAfter(document, span.to);
  const keys = offerKeys(schemasAt(schema, document.tree, path), schema, others);
  const signals = hasSignalKeys(path) ? offerSignalKeys(project, others) : [];
  return [...signals, ...keys, ...offerArguments(project, document, path, others)].map((key) => ({
    label: key.name,
    kind: 'key' as const,
    detail: key.isRequired ? 'required' : '',
    documentation: key.description,
    range: document.rangeOf(span),
    filterText: JSON.stringify(key.name),
    newText: hasValue ? JSON.stringify(key.name) : `${escaped(JSON.stringify(key.name))}: ${key.value}${comma}`,
    isSnippet: !hasValue,
    continues: key.continues && !hasValue,
  }));
}

/** Returns the completions at a position of a manifest file, in the order in which they are shown. */
export function complete(
  project: ManifestProject,
  file: string,
  position: Position,
  schema: Schema,
): readonly Completion[] {
  const document = project.document(file);
  if (document === null) return [];
  const offset = document.offsetAt(position);
  const at = getLocation(document.text, offset);
  const cursor: Cursor = { document, offset, at };
  if (isInComment(document, offset)) return [];
  if (at.isAtPropertyKey) return completeKey(project, cursor, schema);
  const role = roleAt(at.path);
  return role === null ? completeEnum(project, cursor, schema) : completeText(project, cursor, role);
}

/** Returns true if an offset is inside a comment. Strings and closed comments before it are skipped. */
function isInComment({ text }: ManifestDocument, offset: number): boolean {
  const before = text.slice(0, offset);
  const bare = before.replaceAll(/"(?:[^"\\\n]|\\.)*"?|\/\/.*(?=\n)|\/\*[\s\S]*?\*\//g, '');
  return bare.includes('//') || bare.includes('/*');
}

import { BUILT_IN_CONDITIONS, roleAt } from '#compiler/index.ts';
import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { Occurrence } from '../names/collect-occurrences.ts';
import { resolved, type Schema } from '../schema/manifest-schema.ts';
import { schemasAt } from '../schema/schema-at.ts';
import { spanOf } from '../text/document.ts';
import { rowsOf, wayText } from '../text/block-rows.ts';
import { memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { Position, Range } from '../text/place.ts';
import { isKey, nodeAt, pathOf } from './node-at.ts';

/** The content of an editor's hover tooltip, and the text range that it describes. */
interface Hover {
  readonly range: Range;
  readonly title: string;
  /** Lines of plain text. They may quote the manifest, so they must be escaped where markup is expected. */
  readonly lines: readonly string[];
  /** The description from the manifest's JSON Schema, as trusted Markdown. */
  readonly documentation: string;
}

const LONGEST = 300;

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

function blockLines(project: ManifestProject, place: Occurrence): readonly string[] {
  const block = declaredValue(project, place);
  const worker = textOf(memberOf(block, 'worker'));
  const contract = textOf(memberOf(block, 'contract'));
  const rows = rowsOf(block).map(({ signal, row }) => `${signal} → ${wayText(row)}`);
  return [
    ...(worker === null ? [] : [`Worker: ${worker}`]),
    ...(contract === null ? [] : [shortened(contract)]),
    ...rows.slice(0, 12),
  ];
}

/** Returns the JSON value of a declaration, given the place of its key; undefined if there is none. */
function declaredValue(project: ManifestProject, { file, span }: Occurrence) {
  const document = project.document(file);
  const key = document === null ? undefined : nodeAt(document, span.from);
  return key?.parent?.type === 'property' ? key.parent.children?.[1] : undefined;
}

function nodeLines(project: ManifestProject, place: Occurrence): readonly string[] {
  const value = declaredValue(project, place);
  const blocks = project.names.families.blocksOf(place.symbol.name);
  const base = textOf(memberOf(value, 'extend'));
  const entry = textOf(memberOf(value, 'entry_block'));
  return [
    `Blocks: ${blocks.length === 0 ? 'none' : shortened(blocks.join(', '))}`,
    ...(entry === null ? [] : [`Entry block: ${entry}`]),
    ...(base === null ? [] : [`Extends: ${base}`]),
  ];
}

function workerLines(project: ManifestProject, place: Occurrence): readonly string[] {
  const value = declaredValue(project, place);
  return ['kind', 'provider', 'model', 'preset', 'pool', 'persona'].flatMap((name) => {
    const text = textOf(memberOf(value, name));
    return text === null ? [] : [`${name}: ${shortened(text)}`];
  });
}

function symbolLines(project: ManifestProject, found: Occurrence): readonly string[] {
  const places = project.names.places(found.symbol);
  const declared = places.find((place) => place.isDeclaration);
  const { kind, name } = found.symbol;
  if (kind === 'signal') {
    const count = places.length;
    return [count === 1 ? 'Occurs once in this manifest.' : `Occurs ${count} times in this manifest.`];
  }
  if (declared === undefined)
    return BUILT_IN_WORKER_NAMES.some((one) => one === name)
      ? ['Built-in worker.']
      : ['Not declared in this manifest.'];
  if (kind === 'block') return blockLines(project, declared);
  if (kind === 'node') return nodeLines(project, declared);
  if (kind === 'worker') return workerLines(project, declared);
  const inside = membersOf(declaredValue(project, declared)).map((member) => member.name);
  return inside.length === 0 ? [] : [`Keys: ${shortened(inside.join(', '))}`];
}

function titleOf({ symbol }: Occurrence): string {
  return symbol.kind === 'block' ? `block ${symbol.node}__${symbol.name}` : `${symbol.kind} ${symbol.name}`;
}

/** Returns the hover tooltip for a position in a manifest file, or null if there is none. */
export function hover(project: ManifestProject, file: string, position: Position, schema: Schema): Hover | null {
  const document = project.document(file);
  if (document === null) return null;
  const offset = document.offsetAt(position);
  const found = project.names.at(file, offset);
  if (found !== null)
    return {
      range: document.rangeOf(found.span),
      title: titleOf(found),
      lines: symbolLines(project, found),
      documentation: '',
    };
  const node = nodeAt(document, offset);
  if (node === undefined || node.type === 'object' || node.type === 'array') return null;
  const path = pathOf(node);
  const text = textOf(node);
  const range = document.rangeOf(spanOf(node));
  const args = text !== null && roleAt(path)?.kind === 'condition' ? BUILT_IN_CONDITIONS.get(text) : undefined;
  if (args !== undefined)
    return { range, title: `condition ${text ?? ''}`, lines: [`args: ${args}`], documentation: '' };
  const description = schemasAt(schema, document.tree, path)
    .map((one) => resolved(one, schema).description)
    .find((one) => one !== undefined);
  if (description === undefined) return null;
  const name = isKey(node) ? String(node.value) : String(path.at(-1) ?? '');
  return { range, title: name, lines: [], documentation: description };
}

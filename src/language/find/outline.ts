import type { Node } from 'jsonc-parser';
import { spanOf, type ManifestDocument } from '../text/document.ts';
import { memberOf, membersOf, type Member, textOf } from '../text/json-node.ts';
import type { Range } from '../text/place.ts';

/** One entry of a file's outline. */
export interface OutlineEntry {
  readonly name: string;
  readonly detail: string;
  readonly kind: 'node' | 'block' | 'worker' | 'slice' | 'pool' | 'command';
  /** The range of the whole property: key and value. */
  readonly range: Range;
  /** The range of the property's key, which the editor selects. */
  readonly selection: Range;
  readonly children: readonly OutlineEntry[];
}

const SECTIONS = [
  ['commands', 'command'],
  ['pools', 'pool'],
  ['workers', 'worker'],
  ['context_slices', 'slice'],
  ['nodes', 'node'],
] as const;

function detailOf(kind: OutlineEntry['kind'], value: Node | undefined): string {
  if (kind === 'block') return textOf(memberOf(value, 'worker')) ?? '';
  if (kind === 'worker') return textOf(memberOf(value, 'kind')) ?? '';
  if (kind !== 'node') return '';
  return textOf(memberOf(value, 'entry_block')) ?? membersOf(memberOf(value, 'blocks'))[0]?.name ?? '';
}

/**
 * Returns the outline of a manifest file: its commands, pools, workers, context slices, and nodes with their blocks.
 */
export function outline(document: ManifestDocument): readonly OutlineEntry[] {
  const entry = (kind: OutlineEntry['kind'], { name, key, value, property }: Member): OutlineEntry => ({
    name: name === '' ? '""' : name,
    detail: detailOf(kind, value),
    kind,
    range: document.rangeOf(spanOf(property)),
    selection: document.rangeOf(spanOf(key)),
    children: kind === 'node' ? membersOf(memberOf(value, 'blocks')).map((block) => entry('block', block)) : [],
  });
  const entries = SECTIONS.flatMap(([section, kind]) =>
    membersOf(memberOf(document.tree, section)).map((member) => entry(kind, member)),
  );
  const before = (left: OutlineEntry, right: OutlineEntry): number =>
    left.range.start.line - right.range.start.line || left.range.start.character - right.range.start.character;
  return entries.sort(before);
}

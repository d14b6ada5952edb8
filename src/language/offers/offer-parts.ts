import { actionSlots } from '#compiler/index.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import { rowsOf } from '../text/block-rows.ts';
import type { Span } from '../text/place.ts';
import type { Offer } from './completion.ts';
import { offerBlocks, offerNodes, outputTypes } from './offer-values.ts';

/** Completions for a part of a string, and the span that they replace. */
export interface PartOffers {
  readonly span: Span;
  readonly offers: readonly Offer[];
}

function wholeActions(project: ManifestProject, node: string): readonly Offer[] {
  const own = project.names.families.blocksOf(node);
  return [
    ...own.map((name): Offer => ({ text: `JUMP:${name}`, kind: 'action', detail: 'go to a block of this node' })),
    { text: 'RETURN', kind: 'action', detail: 'end this node and return to its caller' },
    { text: 'HALT_AND_FLAG', kind: 'action', detail: 'wait for a person' },
    ...offerNodes(project).map(({ text }): Offer => ({
      text: `CALL:${text}`,
      kind: 'action',
      detail: 'call a node, then continue',
    })),
    { text: 'JUMP:', kind: 'action', detail: 'go to a block', continues: true },
    { text: 'CALL:', kind: 'action', detail: 'call a node, then continue', continues: true },
    { text: 'FORK:', kind: 'action', detail: 'run nodes in parallel, then continue', continues: true },
  ];
}

/** Returns completions for the part of a transition's action (such as `JUMP:` or its target) that the cursor is in. */
export function offerAction(project: ManifestProject, text: string, at: number, node: string): PartOffers {
  const slot = actionSlots(text).find(({ from, to }) => from <= at && at <= to);
  if (slot === undefined) return { span: { from: at, to: at }, offers: [] };
  const { kind, from, to } = slot;
  if (kind === 'verb') return { span: { from: 0, to: text.length }, offers: wholeActions(project, node) };
  return { span: { from, to }, offers: kind === 'node' ? offerNodes(project) : offerBlocks(project, node) };
}

const INSTRUCTIONS: readonly Offer[] = [
  { text: 'ALL', kind: 'value', detail: 'the whole payload' },
  { text: 'NONE', kind: 'value', detail: 'no segment of the payload' },
  { text: 'TYPE:', kind: 'value', detail: 'segments of a type', continues: true },
  { text: 'LAST:', kind: 'value', detail: 'the last segments of a type', continues: true },
  { text: 'BLOCK:', kind: 'value', detail: 'segments that a block has added', continues: true },
  { text: 'MERGE:STATIC_MEMORY:', kind: 'value', detail: 'an entry of static memory', continues: true },
  { text: 'EXPORT:', kind: 'value', detail: 'an exported value' },
  { text: 'TEXT:', kind: 'value', detail: 'a literal text' },
];

/** Returns the distinct keys of `static_memory` in all nodes of the manifest. */
function memoryKeys({ documents }: ManifestProject): readonly string[] {
  const keys = documents.flatMap(({ tree }) =>
    membersOf(memberOf(tree, 'nodes')).flatMap(({ value }) =>
      membersOf(memberOf(value, 'static_memory')).map(({ name }) => name),
    ),
  );
  return [...new Set(keys)];
}

/** Returns the distinct export keys that the manifest reads, in merge instructions or conditions. */
function exportKeys({ documents }: ManifestProject): readonly string[] {
  const keys = documents.flatMap(({ tree }) =>
    membersOf(memberOf(tree, 'nodes'))
      .flatMap(({ value }) => membersOf(memberOf(value, 'blocks')))
      .flatMap(({ value: block }) => [
        ...entriesOf(memberOf(block, 'payload_merge_strategy'))
          .flatMap((entry) => textOf(entry) ?? [])
          .filter((text) => text.startsWith('EXPORT:'))
          .map((text) => text.slice('EXPORT:'.length)),
        ...rowsOf(block)
          .map(({ row }) => memberOf(row, 'condition'))
          .filter((condition) => textOf(memberOf(condition, 'id'))?.startsWith('exports.') === true)
          .flatMap((condition) => textOf(entriesOf(memberOf(condition, 'args'))[0]) ?? []),
      ]),
  );
  return [...new Set(keys)].filter((key) => key !== '');
}

const MERGE = 'MERGE:STATIC_MEMORY:';

const valuesOf = (texts: readonly string[], kind: Offer['kind'], detail: string): readonly Offer[] =>
  texts.map((text) => ({ text, kind, detail }));

/** Returns completions for the part of a `payload_merge_strategy` instruction that the cursor is in. */
export function offerMerge(project: ManifestProject, text: string, at: number, node: string): PartOffers {
  const verb = text.startsWith(MERGE) ? MERGE : text.slice(0, text.indexOf(':') + 1);
  const rest: Span = { from: verb.length, to: text.length };
  if (at < verb.length || verb === '') return { span: { from: 0, to: text.length }, offers: INSTRUCTIONS };
  switch (verb) {
    case MERGE:
      return { span: rest, offers: valuesOf(memoryKeys(project), 'memory', 'key of static memory') };
    case 'TYPE:':
    case 'LAST:':
      return { span: rest, offers: valuesOf(outputTypes(project), 'value', 'segment type') };
    case 'BLOCK:': {
      const from = text.startsWith('Block:', verb.length) ? verb.length + 'Block:'.length : verb.length;
      return { span: { from, to: text.length }, offers: offerBlocks(project, node) };
    }
    case 'EXPORT:':
      return { span: rest, offers: valuesOf(exportKeys(project), 'value', 'export of this manifest') };
    default:
      return { span: rest, offers: [] };
  }
}

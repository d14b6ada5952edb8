import path from 'node:path';
import { readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { projectCall, projectCalls } from '../ai/project-calls.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { BlockContext, ContextLayer, ContextSegment } from '#protocol/generated/view.gen.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import { sliceFailureText } from '#protocol/context-slice.ts';
import { type RecordedExecution, runExecutions } from './run-executions.ts';
import { blockIn, cutText } from './conversation.ts';

const LAYER_NAMES = ['Payload', 'Contract', 'Inherited', 'Artifacts', 'System'] as const;

const ARTIFACT_LAYER = 4;

const REASONS: Readonly<Record<number, string>> = {
  1: 'payload of the run, as the block merges it',
  2: 'persona and contract of the block',
  3: 'static memory of the node and its callers',
  4: 'artifact and context slice of the block',
  5: 'facts of the run',
};

type FactOf<Type extends RoboSmithEvent['type']> = Extract<RoboSmithEvent, { readonly type: Type }>;

/** Returns the newest logged call of a block's visit; null if it called no model, or if the call was removed. */
export function callOf(root: string, run: RunId, block: string, visit: number | null): CallRecord | null {
  const own = projectCalls(root).calls.filter((call) => call.run === run && call.block === block);
  for (const { call } of own) {
    const read = projectCall(root, call);
    if (read.kind === 'read' && (visit === null || read.record.visit === visit)) return read.record;
  }
  return null;
}

const layersOf = (segments: readonly (ContextSegment & { readonly layer: number })[]): readonly ContextLayer[] =>
  LAYER_NAMES.map((name, index) => {
    const own = segments.filter(({ layer }) => layer === index + 1);
    return {
      layer: index + 1,
      name,
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
      segments: own.map(unplaced),
    };
  });

const unplaced = ({ id, name, source, reason, tokens, text, cutTokens }: LayeredSegment): ContextSegment => ({
  id,
  name,
  source,
  reason,
  tokens,
  text,
  cutTokens,
});

type LayeredSegment = ContextSegment & { readonly layer: number };

/** Names for types of segments that people write. */
const OF_PEOPLE: Readonly<Partial<Record<string, string>>> = { USER_INPUT: 'Request', HUMAN_GUIDANCE: 'Guidance' };

/** Returns the name and source of a prompt's segment; in the payload, a segment is named by its type and its id. */
function nameOf(layer: number, name: string, call: string): Pick<ContextSegment, 'name' | 'source'> {
  const [type = '', id] = name.split(' ');
  if (layer !== 1 || id === undefined) return { name, source: `call ${call}` };
  return { name: OF_PEOPLE[type] ?? type, source: id };
}

function ofCall({ request, call }: CallRecord): readonly LayeredSegment[] {
  const cuts = new Map(request.cut.map(({ layer, name, tokens }) => [`${layer} ${name}`, tokens]));
  return request.segments.map(({ layer, name, text, tokens }, index) => ({
    id: `${call}.${index}`,
    layer,
    ...nameOf(layer, name, call),
    tokens,
    reason: REASONS[layer] ?? '',
    text: cutText(text, JSON.stringify(['call', call, index])),
    cutTokens: cuts.get(`${layer} ${name}`) ?? 0,
  }));
}

/**
 * Returns the event of the newest assembly of a slice for a block's visit, from the event log; null if there was none.
 */
function assembledSlice(
  root: string,
  { run, block, visit }: Pick<BlockContext, 'run' | 'block' | 'visit'>,
): FactOf<'context.assembled'> | null {
  const filter = { run: run as RunId, type: 'context.assembled' } as const;
  const found = readEvents(fileCalls, path.join(root, '.flow'), filter).events.findLast(
    (event) => event.type === 'context.assembled' && event.block === block && (visit === null || event.visit === visit),
  );
  return found?.type === 'context.assembled' && !('payload' in found) ? found : null;
}

/** Returns what a slice saved or lacks. */
const sliceText = (slice: FactOf<'context.assembled'>): string =>
  sliceFailureText(slice) ??
  `context slice of the block; about ${slice.tokens_saved} tokens saved compared with sending the whole files`;

/**
 * Adds the number of tokens that a slice saved to the slice's segment. If no segment with its text is known, adds an
 * empty one.
 */
function withSlice(
  segments: readonly LayeredSegment[],
  slice: FactOf<'context.assembled'> | null,
): readonly LayeredSegment[] {
  if (slice === null) return segments;
  const isSlice = ({ layer, name }: LayeredSegment): boolean => layer === ARTIFACT_LAYER && name === slice.name;
  const known = segments.some(isSlice)
    ? segments
    : [...segments, { ...segment(ARTIFACT_LAYER, slice.name, '', 'roberto-mcp'), tokens: slice.tokens }];
  return known.map((one) => (isSlice(one) ? { ...one, reason: sliceText(slice) } : one));
}

function segment(layer: number, name: string, text: string, source: string): LayeredSegment {
  return {
    id: `${layer} ${name}`,
    layer,
    name,
    tokens: estimateTokens(text),
    source,
    reason: REASONS[layer] ?? '',
    text: { text, more: null },
    cutTokens: 0,
  };
}

/** Returns the memory layers of a block that called no model, as far as journal and manifest contain them. */
function ofBlock(block: GraphBlock, graph: Graph, before: readonly RecordedExecution[]): readonly LayeredSegment[] {
  const node = graph.nodes.find(({ id }) => id === block.node);
  const payload = before.flatMap((one) =>
    one.kind === 'answered'
      ? []
      : one.append.map(({ type, content }, index) => ({
          ...segment(1, type, content, `${one.block}, visit ${one.visit}`),
          id: `${one.frame} ${one.block}#${one.visit}.${one.attempt}.${index}`,
        })),
  );
  return [
    ...payload,
    ...(block.contract === null ? [] : [segment(2, 'contract', block.contract, 'manifest')]),
    ...Object.entries(node?.staticMemory ?? {}).map(([name, value]) =>
      segment(3, name, typeof value === 'string' ? value : JSON.stringify(value), block.node),
    ),
    ...block.artifact.map((file) => segment(4, file, file, 'manifest')),
  ];
}

/** Returns the five memory layers of a block's visit. */
export function blockContext(
  root: string,
  run: RunId,
  graph: Graph,
  block: string,
  visit: number | null,
): BlockContext {
  const call = callOf(root, run, block, visit);
  const known = blockIn(graph, block);
  const executions = runExecutions(root, run);
  const at = executions.findLastIndex((one) => one.block === block && (visit === null || one.visit === visit));
  const before = executions.slice(0, at === -1 ? executions.length : at);
  const found = call !== null ? ofCall(call) : known === undefined ? [] : ofBlock(known, graph, before);
  const segments = withSlice(found, assembledSlice(root, { run, block, visit }));
  return { run, block, visit, layers: layersOf(segments) };
}

/** Returns the full text of a segment of a logged call; null if it was removed. */
export function callText(root: string, call: string, index: number): string | null {
  const read = projectCall(root, call);
  return read.kind === 'read' ? (read.record.request.segments[index]?.text ?? null) : null;
}

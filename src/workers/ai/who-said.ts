import type { Payload, Segment } from '#protocol/payload.ts';
import { ERROR } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { ANSWER_DATA } from './answer-data.ts';
import { signalOfAnswer } from '../answer/signal-line.ts';

/**
 * Returns true for a model's answer, which has the id of its call, and for a scripted answer, which replaces a model's
 * answer.
 */
export const isAnswer = ({ type, meta }: Segment): boolean =>
  type !== 'VALIDATION_ERROR' &&
  type !== ANSWER_DATA &&
  (typeof meta['call'] === 'string' || meta['scripted'] === true);

/**
 * Removes the numbers of visits from a frame path. The remaining path is the same in all rounds of a loop, and
 * identifies the branch.
 */
const placeIn = (path: string): string => path.replaceAll(/#\d+(?:~\d+)?/g, '');

/** Returns the path of the frame in which a segment was made: the part of its id between the run and the block. */
function frameOf({ id, source }: Segment, run: string): string {
  const block = source === null ? '' : `/${source.block}#${source.visit}.`;
  return id.slice(run.length, id.lastIndexOf(block)) || '/';
}

/**
 * Returns whether this block wrote the segment itself, in this round or an earlier one. A branch of a FORK did not write
 * what another branch of the same node wrote.
 */
export function isOwn(segment: Segment, { system }: BlockMemory): boolean {
  const { run, block, frame } = system;
  return segment.source?.block === block && placeIn(frameOf(segment, run)) === placeIn(frame);
}

const plainSignal = (signal: string): string => signal.replace('SIGNAL:', '');

const blockName = ({ source, content }: Segment): string => {
  const signal = signalOfAnswer(content);
  return `${source?.block ?? 'Earlier'}${signal === null ? '' : `, ${plainSignal(signal)}`}`;
};

/** Returns the last answer of a node in the payload. */
const lastOf = (node: string, { payload }: BlockMemory): Segment | undefined =>
  payload.findLast((segment) => isAnswer(segment) && segment.source?.block.startsWith(`${node}__`));

/**
 * Returns a function that labels an answer with its author, for prompts of other models. The label is the node with its
 * signal (`Review_Security, FAILURE`) for the last answer of a node that the last CALL or FORK returned. For all other
 * answers it is the block with the signal in the answer's last line.
 */
export function speakerNames(memory: BlockMemory): (segment: Segment) => string {
  const { returned } = memory;
  const names = new Map<Segment, string>();
  for (const { node, signal } of returned) {
    // Skips a failed node, which has no answer from this CALL or FORK, and a node that returned several times, because
    // its answers can't be matched to its returns.
    if (signal === ERROR || returned.filter((one) => one.node === node).length > 1) continue;
    const last = lastOf(node, memory);
    if (last !== undefined) names.set(last, `${node}, ${plainSignal(signal)}`);
  }
  return (segment) => names.get(segment) ?? blockName(segment);
}

const stepOf = ({ id }: Segment): string => id.slice(0, id.lastIndexOf('.'));

/** Removes the data segment of each answer whose text is also in the payload, because the text contains the data. */
export function withoutRepeatedData(payload: Payload): readonly Segment[] {
  const steps = new Set(payload.filter(isAnswer).map(stepOf));
  return payload.filter((segment) => segment.type !== ANSWER_DATA || !steps.has(stepOf(segment)));
}

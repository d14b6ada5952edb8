import { allowedAnswers, offeredVerbs } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { refusedAnswerText } from '#protocol/refused-answer-text.ts';
import type { Answer } from '#protocol/response.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';
import { usageError } from '../terminal/usage-error.ts';
import { flagOf } from '../names/answer-flag.ts';
import type { GivenAnswer } from '../names/person.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';
import { jumpTarget } from './parse-answers.ts';
import { resumeCommands } from '../names/resume-commands.ts';

type Verb = Answer['verb'];

export interface AnswerFlags {
  readonly retry?: true;
  readonly proceed?: true;
  /** The reason for the rejection. */
  readonly reject?: string;
  readonly next?: true;
  readonly jump?: string;
  readonly abort?: true;
  readonly guidance?: string;
  readonly halt?: string;
}

const VERBS = ['retry', 'proceed', 'reject', 'next', 'jump', 'abort'] as const satisfies readonly Verb[];

const HELP = ['robosmith resume --help'];

/** Returns the verb among the flags, or null. */
export function verbOf(flags: AnswerFlags): Verb | null {
  const [first, second] = VERBS.filter((verb) => flags[verb] !== undefined);
  if (second !== undefined) throw usageError(`--${first ?? ''} and --${second} can't be combined.`, HELP);
  if (flags.reject !== undefined) checkReason(flags);
  const [detail] = (['guidance', 'halt'] as const).filter((name) => flags[name] !== undefined);
  if (first === undefined && detail !== undefined)
    throw usageError(`--${detail} goes with an answer: ${VERBS.map(flagOf).join(', ')}.`, HELP);
  return first ?? null;
}

function checkReason({ reject = '', guidance }: AnswerFlags): void {
  if (reject.trim() === '') throw usageError('--reject needs a reason, which the next block reads as guidance.', HELP);
  if (guidance !== undefined)
    throw usageError("--reject and --guidance can't be combined: the reason is the guidance.", HELP);
}

/** Returns the answer for one of the run's halts, checked against the verbs that the halt accepts. */
export function chooseAnswer(
  verb: Verb,
  flags: AnswerFlags,
  { halts }: RunSummary,
  graph: Graph,
  kept: StoredRunCommands,
): GivenAnswer {
  const halt = chooseHalt(flags.halt, halts, graph, kept);
  if (!allowedAnswers(halt).includes(verb))
    throw usageError(whyNotTaken(verb, halt), resumeCommands(kept, halt, halts.length === 1, graph));
  const guidance = flags.reject ?? flags.guidance;
  const words = guidance === undefined ? {} : { guidance };
  const to = { halt: halt.halt_id };
  if (verb !== 'jump') return { to, answer: { verb, ...words } };
  return { to, answer: { verb, block: jumpTarget(flags.jump ?? '', nodeWith(halt.block, graph), graph), ...words } };
}

function whyNotTaken(verb: Verb, halt: OpenHalt): string {
  const takes = `it accepts ${offeredVerbs(halt).map(flagOf).join(', ')}`;
  if (verb !== 'reject' || halt.why !== 'manual') return `${halt.block} does not accept ${flagOf(verb)}: ${takes}.`;
  const why = halt.rejections_left === undefined ? 'no_rejection_row' : 'rejections_used_up';
  return `${halt.block}: ${refusedAnswerText({ why, allowed: allowedAnswers(halt) })}`;
}

/** Returns the node of a block. The id alone is ambiguous: `A___b` is `b` of `A_` or `_b` of `A`. */
function nodeWith(block: BlockId, graph: Graph): { readonly node: NodeId } {
  const found = graph.nodes.find(({ blocks }) => blocks.some(({ id }) => id === block));
  return { node: found?.id ?? (block.slice(0, block.indexOf('__')) as NodeId) };
}

const listed = (halts: readonly OpenHalt[]): string =>
  halts.map(({ halt_id, block, why }) => `${halt_id} (${block}, ${why})`).join(', ');

function chooseHalt(
  id: string | undefined,
  halts: readonly OpenHalt[],
  graph: Graph,
  kept: StoredRunCommands,
): OpenHalt {
  const [first, ...others] = halts;
  if (first === undefined)
    throw usageError(`${kept.run} has no block that waits for an answer.`, [kept.command('resume')]);
  const commands = halts.flatMap((halt) => resumeCommands(kept, halt, halts.length === 1, graph));
  if (id === undefined) {
    if (others.length === 0) return first;
    throw usageError(`${halts.length} blocks of ${kept.run} wait; choose one with --halt: ${listed(halts)}.`, commands);
  }
  const named = halts.find(({ halt_id }) => halt_id === id);
  if (named !== undefined) return named;
  throw usageError(
    `${kept.run} has no open halt "${id}"; it may have been answered already. Open halts: ${listed(halts)}.`,
    commands,
  );
}

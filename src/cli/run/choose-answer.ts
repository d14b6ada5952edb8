import { allowedAnswers, closedHaltText, offeredAnswers, type RunDetails } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId, HaltId, NodeId } from '#protocol/id.ts';
import { refusedAnswerText } from '#protocol/run.ts';
import type { Answer } from '#protocol/response.ts';
import type { OpenHalt } from '#protocol/run-summary.ts';
import { usageError } from '../terminal/usage-error.ts';
import { flagOf } from '../names/command-for.ts';
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

/** The state of a run that an answer is chosen for, and how commands refer to it. */
interface AnsweredRun {
  readonly details: Pick<RunDetails, 'listing' | 'closed' | 'path'>;
  readonly graph: Graph;
  readonly kept: StoredRunCommands;
  /** Returns the typed command with `--halt` added. */
  readonly typedFor: (halt: HaltId) => string;
  /** True if a person can be asked which halt is meant. */
  readonly mayAsk: boolean;
}

/**
 * Returns the answer for one of the run's halts, checked against the verbs that the halt accepts. Null if the flags
 * could mean several halts, and the person can be asked.
 */
export function chooseAnswer(verb: Verb, flags: AnswerFlags, run: AnsweredRun): GivenAnswer | null {
  const { graph, kept } = run;
  const halt = chooseHalt(verb, flags, run);
  if (halt === null) return null;
  if (!allowedAnswers(halt).includes(verb))
    throw usageError(whyNotTaken(verb, halt), resumeCommands(kept, halt, graph));
  const guidance = flags.reject ?? flags.guidance;
  const words = guidance === undefined ? {} : { guidance };
  const to = { halt: halt.halt_id };
  if (verb !== 'jump') return { to, answer: { verb, ...words } };
  return { to, answer: { verb, block: jumpTarget(flags.jump ?? '', nodeWith(halt.block, graph), graph), ...words } };
}

function whyNotTaken(verb: Verb, halt: OpenHalt): string {
  const takes = `it accepts ${offeredAnswers(halt).map(flagOf).join(', ')}`;
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

/**
 * Returns the named halt. Without a name, returns the only halt that the run has ever had: a command that was typed or
 * copied for an earlier halt can't be told from one for the open halt.
 */
function chooseHalt(verb: Verb, flags: AnswerFlags, run: AnsweredRun): OpenHalt | null {
  const { details, graph, kept, typedFor, mayAsk } = run;
  const { summary } = details.listing;
  const { halts } = summary;
  const [first, ...others] = halts;
  if (flags.halt !== undefined) {
    const named = halts.find(({ halt_id }) => halt_id === flags.halt);
    if (named !== undefined) return named;
    const next =
      halts.length === 0 ? [kept.command('runs show')] : halts.flatMap((halt) => resumeCommands(kept, halt, graph));
    throw usageError(closedHaltText(flags.halt, { ...details, summary }), next);
  }
  if (first === undefined)
    throw usageError(`${kept.run} has no block that waits for an answer.`, [kept.command('resume')]);
  if (others.length === 0 && details.closed.length === 0) return first;
  if (mayAsk && flags.guidance === undefined && verb !== 'reject' && verb !== 'jump') return null;
  const takers = halts.filter((halt) => allowedAnswers(halt).includes(verb));
  const why =
    others.length === 0
      ? `${kept.run} has waited before, and ${flagOf(verb)} could mean another halt; confirm with --halt`
      : `${halts.length} blocks of ${kept.run} wait; choose one with --halt`;
  throw usageError(
    `${why}: ${listed(halts)}.`,
    takers.length === 0
      ? halts.flatMap((halt) => resumeCommands(kept, halt, graph))
      : takers.map(({ halt_id }) => typedFor(halt_id)),
  );
}

import type { AnswerOutcome } from './run.ts';

type RefusedAnswer = Omit<Extract<AnswerOutcome, { accepted: false }>, 'accepted'>;

/** Returns the message for a person whose answer to a halt was refused. */
export function refusedAnswerText({ why, allowed }: RefusedAnswer): string {
  const possible = `Possible answers are ${allowed.join(', ')}.`;
  switch (why) {
    case 'unknown_halt':
      return 'This halt was already answered, or is no longer open.';
    case 'not_allowed':
      return `This answer is not possible here. ${possible}`;
    case 'unknown_block':
      return 'The manifest has no such block.';
    case 'no_rejection_row':
      return `The block has no row that says where a rejection leads: add { "on_signal": "SIGNAL:REJECTED", "action": "JUMP:<block>" } to its transitions. ${possible}`;
    case 'rejections_used_up':
      return `The work was rejected here as often as "max_rejections" of the block allows. ${possible}`;
    case 'reason_missing':
      return 'A rejection needs a reason, which the next block reads as guidance.';
  }
}

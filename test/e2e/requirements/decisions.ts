import { section } from './section.ts';

const VERDICTS = 'docs/decisions/2026-11-25-verdicts.md';
const RECORD = 'docs/decisions/2026-11-21-run-semantics.md';

/** The numbered rules of docs/decisions/2026-11-21-run-semantics.md, by number. */
export const DECISIONS = {
  ...section(2, RECORD, {
    'decisions.run-semantics.1': 'A path entry is one look-up of a visit; all entries of a visit carry its step.',
    'decisions.run-semantics.2':
      'retry after a halt executes in the same visit: attempts go on, limits do not count it.',
    'decisions.run-semantics.3': "A refused visit has no entry; the run's limit is checked before the frame's.",
    'decisions.run-semantics.4': 'via and action of a path entry, in normal form.',
    'decisions.run-semantics.5': 'Cancelled visits in flight get their entry in written order.',
    'decisions.run-semantics.6': 'metadata.steps, depth, last_node and last_block.',
    'decisions.run-semantics.7': 'A second child of the same visit has the frame path `~2`, then `~3` …',
    'decisions.run-semantics.8':
      'A child that would be too deep fails before it starts; its look-up may not CALL or FORK again.',
    'decisions.run-semantics.9': 'A FORK joins only the exports that each branch wrote.',
    'decisions.run-semantics.10': '--input is segment `<run>/input.1`, source null.',
    'decisions.run-semantics.11': 'How retry and repair count, and the delay before a re-execution.',
    'decisions.run-semantics.12': 'What a repair worker gets, and what its result changes.',
    'decisions.run-semantics.13': 'unsafe_to_retry, and which side-effect class is in force.',
    'decisions.run-semantics.14':
      'Which engine signal a failure becomes; unhandled VALIDATION_FAIL and NO_SIGNAL of the engine.',
    'decisions.run-semantics.15':
      "An execution that takes exactly timeout_ms has finished in time; the limit is the block's, else its worker's.",
    'decisions.run-semantics.16': 'A failed execution adds nothing to payload and exports.',
    'decisions.run-semantics.17': 'Which results break the contract.',
    'decisions.run-semantics.18':
      'A draft in `payload` with the id of a current segment keeps its id, source and time.',
    'decisions.run-semantics.19': 'Which answers each halt allows; a gate in step mode halts once.',
    'decisions.run-semantics.20': 'Guidance is added to the frame before the answer takes effect.',
    'decisions.run-semantics.21':
      'next or jump before execution ends the visit unexecuted; on a flagged halt it adds no entry.',
    'decisions.run-semantics.22': 'A halt takes the first unused scripted answer that names its block.',
    'decisions.run-semantics.23': 'A run ends as halted when no visit is in flight; details.halts is in written order.',
    'decisions.run-semantics.24': 'How entries of a script are counted: by block and innermost branch.',
    'decisions.run-semantics.25': 'The order of visits in virtual time.',
    'decisions.run-semantics.26': 'How a text answer is read.',
    'decisions.run-semantics.27': 'BLOCK:<id> follows the segments that are in the current payload.',
    'decisions.run-semantics.28': 'When response.success holds, and what conditions see.',
    'decisions.run-semantics.29': 'onFailure without onSuccess implies proceed after a success.',
  }),
  ...section(4, RECORD, {
    'decisions.run-semantics.30': 'When evidence is looked at, and what holds.',
    'decisions.run-semantics.31':
      'What does not hold is evidence_failed: what stays, what is added, what is recovered.',
    'decisions.run-semantics.32': 'HALT_AND_FLAG after it halts with why evidence; unhandled it fails the frame.',
    'decisions.run-semantics.33': 'The path has the evidence; what a script says of it.',
  }),
  ...section(6, VERDICTS, {
    'decisions.verdicts.1': 'A frame keeps the outcomes of its last CALL or FORK, in written order.',
    'decisions.verdicts.2': 'node, signal and exports of an outcome.',
    'decisions.verdicts.3': 'Children that failed, were cancelled or were refused have SIGNAL:ERROR and no exports.',
    'decisions.verdicts.4': 'A frame that ends with a CALL or FORK passes on the first signal that means no success.',
    'decisions.verdicts.5': 'returned.all, returned.any and returned.count.',
    'decisions.verdicts.6': 'The rules of Internal:Verdict, and what counts as failed_as.',
    'decisions.verdicts.7': 'A simulation executes Internal:Verdict, unless the script names its block or the worker.',
    'decisions.verdicts.8': 'Answers of other blocks are named material of the user turn.',
    'decisions.verdicts.9': 'The answer rule lists the signals that the table takes, with their meanings.',
    'decisions.verdicts.10': 'answer.schema: which JSON counts, exports, and the segment ANSWER_DATA.',
    'decisions.verdicts.11': 'An answer without a valid value is asked for again, within the bound.',
  }),
} as const;

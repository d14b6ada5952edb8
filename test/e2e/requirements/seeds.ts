import { section } from './section.ts';

/** The tests that the project's founding documents require, quoted where possible. */
export const SEEDS = {
  ...section(2, 'seed 000#Mandatory Testing Criteria', {
    'seed-000.parse': 'A valid manifest is parsed, an invalid one rejected.',
    'seed-000.jump': 'A JUMP updates the current block and execution continues.',
    'seed-000.call-return': 'A CALL pushes a return address; RETURN pops it and jumps back.',
    'seed-000.fail-default': 'An unknown signal triggers SIGNAL:FAIL_DEFAULT if it exists.',
    'seed-000.context-boundary': "With context_inheritance FALSE a callee's blocks see no static memory of the parent.",
    'seed-000.merge-strategy': 'payload_merge_strategy assembles and orders the payload before the worker gets it.',
  }),
  ...section(2, 'seed 001#Overall Acceptance Criteria', {
    'seed-001.clear-error': 'An invalid manifest is rejected with a clear error.',
    'seed-001.new-payload': 'The payload that a worker returns is passed on to the next block.',
  }),
  ...section(2, 'seed 002#Block Execution Semantics', {
    'seed-002.block-state': 'An attempt goes READY → BUSY and leaves BUSY for READY or WAITING.',
    'seed-002.first-match': 'Branches are evaluated in a deterministic order; the first match wins.',
    'seed-002.validate-before': 'The graph is validated before execution; a failed validation is a failed Response.',
    'seed-002.max-steps': 'max_steps bounds a composite, 128 by default; details say the limit.',
    'seed-002.no-transition': 'No branch matched is handled deterministically: no_transition.',
    'seed-002.condition-fail-fast': 'An unresolvable condition fails the construction of the graph.',
    'seed-002.condition-pure': 'Evaluating a condition has no side effect.',
    'seed-002.child-context': "A child's context can be pruned to what it needs.",
  }),
  ...section(2, 'seed 004#5.1, 5.2', {
    'seed-004.5-1': 'WorkflowService parses; onFailure execute_node is linked to the troubleshooting node.',
    'seed-004.5-2-happy': 'With the proceedSignal in the answer the second step starts by itself.',
    'seed-004.5-2-failure': 'Without it onFailure stop_and_flag halts and the step waits for a person.',
  }),
  ...section(5, 'seed 004#5.4. Achieve Economic Viability', {
    'seed-004.5-4-catch': 'The ApiPoolManager must successfully catch the 429 error.',
    'seed-004.5-4-second-key': 'It must automatically re-run the request using the second key.',
    'seed-004.5-4-result': 'The final result returned to the user must be the successful response from the second key.',
  }),
  ...section(5, 'seed 004#5.5', {
    'seed-004.5-5':
      'A logged call is loaded, a segment of its prompt changed, sent again, and shown beside the original.',
  }),
} as const;

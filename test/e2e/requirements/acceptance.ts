import { section } from './section.ts';

/** The acceptance criteria with which the project began, quoted where possible. */
export const ACCEPTANCE = {
  ...section(2, 'acceptance: Mandatory Testing Criteria', {
    'acceptance.parse': 'A valid manifest is parsed, an invalid one rejected.',
    'acceptance.jump': 'A JUMP updates the current block and execution continues.',
    'acceptance.call-return': 'A CALL pushes a return address; RETURN pops it and jumps back.',
    'acceptance.fail-default': 'An unknown signal triggers SIGNAL:FAIL_DEFAULT if it exists.',
    'acceptance.context-boundary':
      "With context_inheritance FALSE a callee's blocks see no static memory of the parent.",
    'acceptance.merge-strategy': 'payload_merge_strategy assembles and orders the payload before the worker gets it.',
  }),
  ...section(2, 'acceptance: Overall Acceptance Criteria', {
    'acceptance.clear-error': 'An invalid manifest is rejected with a clear error.',
    'acceptance.new-payload': 'The payload that a worker returns is passed on to the next block.',
  }),
  ...section(2, 'acceptance: Block Execution Semantics', {
    'acceptance.block-state': 'An attempt goes READY → BUSY and leaves BUSY for READY or WAITING.',
    'acceptance.first-match': 'Branches are evaluated in a deterministic order; the first match wins.',
    'acceptance.validate-before': 'The graph is validated before execution; a failed validation is a failed Response.',
    'acceptance.max-steps': 'max_steps bounds a composite, 128 by default; details say the limit.',
    'acceptance.no-transition': 'No branch matched is handled deterministically: no_transition.',
    'acceptance.condition-fail-fast': 'An unresolvable condition fails the construction of the graph.',
    'acceptance.condition-pure': 'Evaluating a condition has no side effect.',
    'acceptance.child-context': "A child's context can be pruned to what it needs.",
  }),
  ...section(2, 'acceptance: Workflow service', {
    'acceptance.on-failure-node':
      'WorkflowService parses; onFailure execute_node is linked to the troubleshooting node.',
    'acceptance.proceed-signal': 'With the proceedSignal in the answer the second step starts by itself.',
    'acceptance.stop-and-flag': 'Without it onFailure stop_and_flag halts and the step waits for a person.',
  }),
  ...section(5, 'acceptance: Achieve Economic Viability', {
    'acceptance.catch-429': 'The ApiPoolManager must successfully catch the 429 error.',
    'acceptance.second-key': 'It must automatically re-run the request using the second key.',
    'acceptance.second-key-result':
      'The final result returned to the user must be the successful response from the second key.',
  }),
  ...section(5, 'acceptance: Logged calls', {
    'acceptance.logged-call':
      'A logged call is loaded, a segment of its prompt changed, sent again, and shown beside the original.',
  }),
} as const;

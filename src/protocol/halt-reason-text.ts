import type { HaltReason } from './response.ts';

const WHY: Readonly<Record<HaltReason, string>> = {
  flagged: 'its transition is a halt',
  gate: 'it is a gate, which executes after your approval',
  step: 'the run goes step by step',
  budget: 'the budget is used up',
  quota: 'all keys are cooling down',
  endpoint: 'the server of its model does not work',
  keys: 'a key is missing',
  circuit_open: 'it crashed too often',
  manual: 'this part is done by hand',
  evidence: 'its evidence does not hold',
  unsafe: 'it was interrupted, and its effect may already have happened',
  main_changed: 'the main checkout changed while it worked',
};

/** Describes in words why a block waits for a person. */
export const whyText = (why: HaltReason): string => WHY[why];

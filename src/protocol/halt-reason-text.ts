import type { HaltReason } from './response.ts';

const WHY: Readonly<Record<HaltReason, string>> = {
  flagged: 'its transition halts the run',
  gate: 'it is a gate, which executes after your approval',
  step: 'the run is in step mode',
  budget: 'the budget is used up',
  quota: 'all keys are cooling down',
  endpoint: 'the server of its model does not work',
  keys: 'a key is missing',
  circuit_open: 'it crashed too often',
  manual: 'it is a manual step',
  evidence: 'the check of its evidence failed',
  unsafe: 'it was interrupted, and its effects may already have occurred',
  main_changed: 'the main checkout changed while it worked',
};

/** Describes in words why a block waits for a person. */
export const whyText = (why: HaltReason): string => WHY[why];

import type { HaltReason } from './response.ts';

const WHY: Readonly<Record<HaltReason, string>> = {
  flagged: 'its transitions say so',
  gate: 'it is a gate: it executes when you say so',
  step: 'the run goes step by step',
  budget: 'the budget is used up',
  quota: 'all keys are cooling down',
  keys: 'a key is missing',
  circuit_open: 'it crashed too often',
  manual: 'this part is done by hand',
  evidence: 'its evidence does not hold',
  unsafe: 'it was cut off, and may have been done already',
  main_changed: 'the main checkout changed while it worked',
};

/** Describes in words why a block waits for a person. */
export const whyText = (why: HaltReason): string => WHY[why];

/** Keys of the manifest that change nothing in a run, with the reason why they are there. */
export const NO_EFFECT: Readonly<Record<string, string>> = {};

/** The test that shows the effect of each key which the conformance kit, whose workers are scripted, can't show. */
export const ELSEWHERE: Readonly<Record<string, string>> = {};

import type { ViewGraph } from '#protocol/generated/view.gen.ts';
import { mustBeAsked, startFields } from '#protocol/start-input.ts';

/** What the dialog for a new workflow starts: a session, or a run where the open tab is. */
export type NewRun =
  { readonly kind: 'session' } | { readonly kind: 'run'; readonly session: string | null; readonly step: boolean };

/** Returns whether a person has to enter something before a run can start at the workflow's entry. */
export const needsAnswers = ({ entry, inputs }: ViewGraph): boolean =>
  entry === null || (inputs.length > 0 && startFields(inputs).some((one) => one.isTitle || mustBeAsked(one)));

import type { Reason, Response } from '#protocol/response.ts';

type Details = Response['details'];

const SENTENCES: Readonly<Partial<Record<Reason, (details: Details) => string>>> = {
  no_transition: (details) =>
    `${text(details, 'block')} ended with ${text(details, 'signal')}, and no transition handles that${handled(details)}.`,
  max_steps_exceeded: (details) =>
    `The node ${text(details, 'node')} reached its limit of ${text(details, 'max_steps')} steps. Check it for an endless loop.`,
  max_run_steps_exceeded: (details) =>
    `The run reached its limit of ${text(details, 'max_run_steps')} steps. ${
      details['recursive'] === undefined
        ? 'Check it for an endless loop.'
        : `The node ${text(details, 'recursive')} calls or forks itself, directly or through other nodes.`
    }`,
  max_depth_exceeded: (details) =>
    `Calls are nested ${text(details, 'max_depth')} deep, which is the limit. Check for a node that calls itself.`,
  condition_resolution_error: (details) =>
    `The condition ${text(details, 'condition')} failed: ${text(details, 'message')}.`,
  cancelled: () => 'The run was ended by a person.',
  interrupted: ({ paused }) =>
    paused === true ? 'The run is paused; nothing is lost.' : 'The run was stopped; nothing is lost.',
};

/** Returns a sentence about the failure. A message of the engine is preferred. */
export function failureMessage({ reason, details }: Response): string {
  const own = details['message'];
  if (reason !== 'condition_resolution_error' && typeof own === 'string')
    return `${own}${/[.?!]$/.test(own) ? '' : '.'}${unhandled(details)}`;
  const known = reason === null ? undefined : SENTENCES[reason];
  return known === undefined ? childMessage(details) : known(details);
}

const text = (details: Details, key: string): string => {
  const value = details[key];
  return value === undefined ? 'something' : typeof value === 'string' ? value : JSON.stringify(value);
};

const handled = (details: Details): string => {
  const signals = details['handled'];
  return Array.isArray(signals) && signals.length > 0 ? ` (it handles ${signals.join(', ')})` : '';
};

const unhandled = (details: Details): string =>
  typeof details['unhandled'] === 'string' ? ` Besides, ${details['unhandled']}.` : '';

/** Returns the child's failure for a CALL that failed. */
function childMessage(details: Details): string {
  const child = record(details['child']);
  if (child === null) return 'The run failed.';
  const message = record(child['details'])?.['message'];
  const reason = typeof child['reason'] === 'string' ? child['reason'] : 'a failure';
  return `A called node ended with ${reason}${typeof message === 'string' ? `: ${message}` : ''}.${unhandled(details)}`;
}

const record = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;

/** The issue that delivers a requirement, or `later` if there is none yet. */
export type Issue = 2 | 3 | 4 | 5 | 6 | 'later';

export interface Requirement {
  /** The subject and the heading, e.g. `manifest: Actions`. */
  readonly topic: string;
  readonly text: string;
  readonly issue: Issue;
}

/** Adds the topic and the issue to every requirement of one section. */
export function section<Id extends string>(
  issue: Issue,
  topic: string,
  texts: Readonly<Record<Id, string>>,
): Readonly<Record<Id, Requirement>> {
  const rows = Object.entries<string>(texts).map(([id, text]) => [id, { topic, text, issue }] as const);
  return Object.fromEntries(rows) as Record<Id, Requirement>;
}

/** The issue that delivers a requirement, or `later` if there is none yet. */
export type Issue = 2 | 3 | 4 | 5 | 6 | 'later';

export interface Requirement {
  /** Document and heading, e.g. `manifest.md#Actions`. */
  readonly spec: string;
  readonly text: string;
  readonly issue: Issue;
}

/** Adds the document and the issue to every sentence of one section. */
export function section<Id extends string>(
  issue: Issue,
  spec: string,
  texts: Readonly<Record<Id, string>>,
): Readonly<Record<Id, Requirement>> {
  const rows = Object.entries<string>(texts).map(([id, text]) => [id, { spec, text, issue }] as const);
  return Object.fromEntries(rows) as Record<Id, Requirement>;
}

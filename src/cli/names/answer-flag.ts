import type { Answer } from '#protocol/response.ts';

const VALUE: Partial<Readonly<Record<Answer['verb'], string>>> = { jump: ' <block>', reject: ' <reason>' };

/** Returns the flag of `resume` for an answer, with the name of its value. */
export const flagOf = (verb: Answer['verb']): string => `--${verb}${VALUE[verb] ?? ''}`;

import type { ClashLine, SemanticClash } from './semantic-clash.ts';

const lineText = ({ file, line, text }: ClashLine): string => `${file}:${line} ${text.trim()}`;

/** Returns one clash in a line: what changed, and what uses it. */
export const clashSummary = ({ name, why, change, use, standing }: SemanticClash): string =>
  `${standing}: ${use.file}:${use.line} uses ${name} of ${change.file}:${change.line}: ${why}`;

/** Returns one clash with both lines, for people. */
export const clashLines = (clash: SemanticClash): readonly string[] => [
  `${clash.standing === 'proved' ? 'proved by the check of the merged files' : 'likely'}: ${clash.name}: ${clash.why}`,
  `  changed  ${lineText(clash.change)}`,
  `  used     ${lineText(clash.use)}`,
];

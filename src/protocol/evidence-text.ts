import type { Evidence } from './graph.ts';

const LONGEST = 200;

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};

/** Describes a piece of evidence in words, for people and models. */
export const evidenceText = (evidence: Evidence): string =>
  oneLine(
    evidence.kind === 'command'
      ? evidence.command.join(' ')
      : evidence.contains === null
        ? `file ${evidence.file}`
        : `file ${evidence.file} with "${evidence.contains}"`,
  );

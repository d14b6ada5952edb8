import type { Extraction } from '../../../../src/roberto-mcp/parse/extraction.ts';

export interface ExtractionSummary {
  readonly state: string;
  readonly packageName: string;
  /** Definitions as `Parent > kind name @line`, with `+` for exported ones. */
  readonly definitions: readonly string[];
  readonly docs: readonly string[];
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  /** Each referenced name with its positions, counted from 1. */
  readonly references: string;
}

/** Formats an extraction so that a person can compare it with the source text. */
export function summarize({
  state,
  packageName,
  definitions,
  imports,
  exports,
  references,
}: Extraction): ExtractionSummary {
  const nameOf = (index: number): string => definitions[index]?.name ?? '';
  return {
    state,
    packageName,
    definitions: definitions.map(
      ({ kind, name, row, column, parent, exported, signature }) =>
        `${parent < 0 ? '' : `${nameOf(parent)} > `}${kind} ${name} @${row + 1}:${column + 1}${exported ? '+' : ''} | ${signature}`,
    ),
    docs: definitions.filter(({ doc }) => doc !== '').map(({ name, doc }) => `${name}: ${doc}`),
    imports: imports.map(
      ({ module, names, reexport }) =>
        `${reexport ? 'again ' : ''}${module}: ${names.map(({ name, alias }) => (name === alias ? name : `${name} as ${alias}`)).join(', ')}`,
    ),
    exports: exports.map(({ name, local, from }) => `${local} as ${name}${from === null ? '' : ` from ${from}`}`),
    references: [...references]
      .map(
        ([name, at]) =>
          `${name} ${at.flatMap((row, index) => (index % 2 === 0 ? [`${row + 1}:${(at[index + 1] ?? 0) + 1}`] : [])).join(' ')}`,
      )
      .join(', '),
  };
}

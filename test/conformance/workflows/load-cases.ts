import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deepRecursionCase } from '../deep-recursion-case.ts';
import { matrixCases } from '../matrix-cases.ts';
import { verdictCases } from '../verdict-cases.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { type GeneratedText, generateText } from './generate-text.ts';

export interface LoadedCase {
  readonly theme: string;
  readonly file: string;
  readonly case: ConformanceCase;
}

type WrittenCase = ConformanceCase & { readonly generated?: GeneratedText };

const here = import.meta.dirname;

const withText = ({ generated, ...one }: WrittenCase): ConformanceCase =>
  generated === undefined ? one : { ...one, text: generateText(generated) };

const casesOf = (theme: string, file: string): readonly LoadedCase[] => {
  const read = JSON.parse(readFileSync(join(here, theme, file), 'utf8')) as WrittenCase | readonly WrittenCase[];
  const cases = Array.isArray(read) ? (read as readonly WrittenCase[]) : [read as WrittenCase];
  return cases.map((one) => ({ theme, file: `${theme}/${file}`, case: withText(one) }));
};

/** The cases that are computed instead of written. */
export const generatedCases = (): readonly LoadedCase[] => [
  ...[...matrixCases()].flatMap(([action, cases]) =>
    cases.map((one) => ({ theme: 'matrix', file: `matrix/${action}`, case: one })),
  ),
  ...[...verdictCases()].flatMap(([rule, cases]) =>
    cases.map((one) => ({ theme: 'verdicts', file: `verdicts/${rule}`, case: one })),
  ),
  { theme: 'limits', file: `limits/${deepRecursionCase.id}`, case: deepRecursionCase },
];

const writtenCases = (): readonly LoadedCase[] =>
  readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .flatMap((theme) =>
      readdirSync(join(here, theme))
        .filter((file) => file.endsWith('.json'))
        .sort()
        .flatMap((file) => casesOf(theme, file)),
    );

/** Loads every case of the kit. A folder is a theme; a file contains one case or a list of cases. */
export const loadCases = (): readonly LoadedCase[] => [...writtenCases(), ...generatedCases()];

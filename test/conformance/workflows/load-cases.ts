import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceCase } from './conformance-case.ts';

export interface LoadedCase {
  readonly theme: string;
  readonly file: string;
  readonly case: ConformanceCase;
}

const here = import.meta.dirname;

const casesOf = (theme: string, file: string): readonly LoadedCase[] => {
  const read = JSON.parse(readFileSync(join(here, theme, file), 'utf8')) as
    ConformanceCase | readonly ConformanceCase[];
  const cases = Array.isArray(read) ? (read as readonly ConformanceCase[]) : [read as ConformanceCase];
  return cases.map((one) => ({ theme, file: `${theme}/${file}`, case: one }));
};

/** Every case of the kit: a folder a theme, a file holds one case or a list of them. */
export const loadCases = (): readonly LoadedCase[] =>
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

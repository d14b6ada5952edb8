import { type Comparer, createComparer } from '#io/code-analysis/comparer.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';

/** A line of a clash. `of` is the side in the order of the comparison. */
interface AnalysedLine {
  readonly of: 'one' | 'other';
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface AnalysedClash {
  readonly kind: string;
  readonly name: string;
  readonly why: string;
  readonly change: AnalysedLine;
  readonly use: AnalysedLine;
}

/** The result for one pair. `leftOut`: changed source files that were not compared. */
export type Analysed =
  | { readonly kind: 'analysed'; readonly clashes: readonly AnalysedClash[]; readonly leftOut: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string };

export interface Analysis {
  analyse(base: string, one: string, other: string): Promise<Analysed>;
  close(): void;
}

const textIn = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === 'string' ? value : '';
};

function readLine(value: JsonValue | undefined): AnalysedLine | null {
  if (!isObject(value)) return null;
  const { line } = value;
  return {
    of: value['branch'] === 'ours' ? 'one' : 'other',
    file: textIn(value, 'file'),
    line: typeof line === 'number' ? line : 1,
    text: textIn(value, 'text'),
  };
}

function readClash(value: JsonValue): readonly AnalysedClash[] {
  if (!isObject(value)) return [];
  const [change, use] = [readLine(value['change']), readLine(value['use'])];
  if (change === null || use === null) return [];
  return [{ kind: textIn(value, 'kind'), name: textIn(value, 'name'), why: textIn(value, 'why'), change, use }];
}

function readAnswer(answer: JsonObject): Analysed {
  const { clashes, leftOut, error } = answer;
  if (typeof error === 'string') return { kind: 'failed', why: error };
  if (!Array.isArray(clashes)) return { kind: 'failed', why: 'its answer has no list of clashes' };
  const names = Array.isArray(leftOut) ? leftOut.filter((one): one is string => typeof one === 'string') : [];
  return { kind: 'analysed', clashes: clashes.flatMap((one: JsonValue) => readClash(one)), leftOut: names };
}

/** Creates the analysis of symbols for pairs of commits of a repository, or of its temporary objects. */
export function createAnalysis({ folder, objects }: ReadOnlyRepository): Analysis {
  const comparer: Comparer = createComparer(folder, objects.readers);
  const known = new Map<string, Analysed>();
  return {
    analyse: async (base, one, other) => {
      const key = `${base} ${one} ${other}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      try {
        const found = readAnswer(await comparer.compare({ base, ours: one, theirs: other }));
        if (found.kind === 'analysed') known.set(key, found);
        return found;
      } catch (error) {
        return { kind: 'failed', why: messageOf(error) };
      }
    },
    close: () => comparer.close(),
  };
}

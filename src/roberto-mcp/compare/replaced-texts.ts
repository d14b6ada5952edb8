import { hasText, type Hunk } from './commit-files.ts';
import type { ClashSide, LikelyClash } from './likely-clash.ts';
import type { Side } from './read-side.ts';

/** A text that a branch replaced with another text, and the lines on which it did. */
interface Replaced {
  readonly from: string;
  readonly to: string;
  readonly places: ClashSide[];
}

/** Matches words that may be names of events, routes, configuration keys or CSS classes, including separators. */
const WORD = /[\w$][\w$.:/-]*[\w$]|\/[\w$.:/{}-]+/gu;
const MIN_LENGTH = 4;
const MAX_LINE = 500;
const MIN_PLACES = 2;
/** Matches files in which any word, not only a quoted one, can be a name that other files refer to. */
const PLAIN = /\.(?:css|scss|less|html?|ya?ml|toml|json|properties|ini|env)$|(?:^|\/)\.env[^/]*$/u;

interface Word {
  readonly text: string;
  readonly start: number;
}

const wordsOf = (line: string): readonly Word[] =>
  line.length > MAX_LINE ? [] : [...line.matchAll(WORD)].map(({ 0: text, index: start }) => ({ text, start }));

/** True if the word is inside quotes. */
function isQuoted(line: string, start: number): boolean {
  let quote = '';
  for (let at = 0; at < start; at += 1) {
    const sign = line[at] ?? '';
    if (quote !== '' && sign === '\\') at += 1;
    else if (sign === quote) quote = '';
    else if (quote === '' && (sign === '"' || sign === "'" || sign === '`')) quote = sign;
  }
  return quote !== '';
}

const isText = (file: string, line: string, start: number): boolean => PLAIN.test(file) || isQuoted(line, start);

/** Returns the old and the new word if the two lines differ in exactly one word, else null. */
function differentWord(before: string, after: string): readonly [from: Word, to: Word] | null {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  if (a.length !== b.length) return null;
  const different = a.flatMap((word, at): readonly (readonly [Word, Word])[] => {
    const other = b[at];
    return other === undefined || other.text === word.text ? [] : [[word, other]];
  });
  const [only] = different;
  if (only === undefined || different.some(([from, to]) => from.text !== only[0].text || to.text !== only[1].text))
    return null;
  return only;
}

function replacedIn({ hunks, name }: Side): readonly Replaced[] {
  const found = new Map<string, Replaced>();
  for (const { file, row, removed, added } of hunks) {
    if (removed.length !== added.length) continue;
    for (const [at, before] of removed.entries()) {
      const after = added[at] ?? '';
      const words = differentWord(before, after);
      if (words === null || words[0].text.length < MIN_LENGTH || !isText(file, before, words[0].start)) continue;
      const key = `${words[0].text}\0${words[1].text}`;
      const known = found.get(key) ?? { from: words[0].text, to: words[1].text, places: [] };
      known.places.push({ branch: name, file, line: row + at + 1, text: after.trim() });
      found.set(key, known);
    }
  }
  return [...found.values()].filter(({ places }) => places.length >= MIN_PLACES);
}

const usesOf = (text: string, { hunks, name }: Side): readonly ClashSide[] =>
  hunks.flatMap(({ file, row, added }: Hunk) =>
    added.flatMap((line, at): readonly ClashSide[] =>
      wordsOf(line).some((word) => word.text === text && isText(file, line, word.start))
        ? [{ branch: name, file, line: row + at + 1, text: line.trim() }]
        : [],
    ),
  );

/**
 * Returns clashes about names that are not symbols of a language: one branch replaced every occurrence of a text (at
 * least two), and the other branch added a line with the old text.
 */
export async function replacedTexts(root: string, changer: Side, user: Side): Promise<readonly LikelyClash[]> {
  const clashes: LikelyClash[] = [];
  for (const { from, to, places } of replacedIn(changer)) {
    const uses = usesOf(from, user);
    const [change] = places;
    if (change === undefined || uses.length === 0 || (await hasText(root, changer.commit, from))) continue;
    const why = `this text was replaced with ${to} in ${places.length} places`;
    for (const use of uses) clashes.push({ kind: 'text', name: from, why, change, use });
  }
  return clashes;
}

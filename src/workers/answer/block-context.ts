import { LONGEST_MARK } from './answer-lines.ts';
import { isTalk } from './is-talk.ts';
import { isFileName } from './languages.ts';
import { namedBy, type Naming } from './path-before.ts';

/** The reasons why a code block is not a file: shell commands, a program's output, a usage example, or old code. */
export type NoFile = 'shell' | 'output' | 'example' | 'old';

/** The statement of the text between the previous code block and this one about this one. */
export type Context =
  | { readonly kind: 'named'; readonly naming: Naming; readonly isNear: boolean }
  /** The text says that the block is not a file. `path` is the file that its section is about, or null. */
  | { readonly kind: 'no_file'; readonly why: NoFile; readonly path: string | null }
  /**
   * The text does not say what the block is. `mentions` is a file that the text mentions without announcing it, or
   * null.
   */
  | { readonly kind: 'unclear'; readonly mentions: string | null };

/** Patterns for the beginning of a sentence or heading that says that the next block is not a file. */
const LABELS: readonly (readonly [NoFile, RegExp])[] = [
  [
    'shell',
    /^(?:(?:then|now|and|finally|next|to|you can|please|just|first|after that)\b[, ]*)*(?:run|running|execute|install|installing|start|launch|build|compile|invoke|deploy|lint|set ?up|verify|commands?)\b(?! (?:file|script))/i,
  ],
  [
    'output',
    /^(?:(?:the|this|you|it|and|here|is|expected|sample|should|will|would|which|that|now|an?|of)\b[, ]*)*(?:output|prints?|produces?|returns?|result(?:s|ing)?|response|logs?|see|errors?|stack ?trace|traceback|exception|warnings?|failure|error message|(?:directory|folder|project|file)? ?(?:structure|tree|layout))\b/i,
  ],
  [
    'example',
    /^(?:(?:the|a|an|and|here|is|some|quick|basic|sample|typical|minimal|simple|then|now|for|to|you can|this is|here['’]s)\b[, ]*)*(?:usages?|examples?|e\.g\.|instance|how (?:to|it|you)|use it|use this|using it|call it|call sites?|try it|import it|consume|in (?:a|your) (?:component|code|app))\b/i,
  ],
  [
    'old',
    /^(?:(?:the|this|is|was|here|code)\b[, ]*)*(?:before|old|original(?:ly)?|previous(?:ly)?|current(?:ly)?|existing|the bug|the problem|the issue|bug|problem|cause|culprit|instead of)\b/i,
  ],
];

/** Patterns, matched anywhere in the sentence directly above a block, that say that the block is not a file. */
const WITHIN: readonly (readonly [NoFile, RegExp])[] = [
  [
    'shell',
    /\b(?:run (?:it|them|the|this)|with the (?:following )?command|in (?:your|a|the) (?:terminal|shell)|on the command line)\b/i,
  ],
  [
    'output',
    /\b(?:(?:the|this|following) (?:error|output|exception|warning|stack ?trace|log)\b|fails? with|(?:will|should|would) (?:print|output|see|return)|printed|produces|error (?:message|in|was|is)\b|(?:error|output) (?:was|is|looks)\b)/i,
  ],
  [
    'example',
    /\b(?:for (?:example|instance)|e\.g\.|as an (?:example|illustration)|(?:use|used|call|called|import|invoke|consume|test|try|do) (?:it|this|them|that)?[^.!?]{0,40}(?:like (?:this|so)|as follows|in (?:your|the|other|another))|can (?:then )?(?:now )?(?:be )?(?:use|used|call|called|import|imported)|usage|to (?:try|test|use) it|test (?:the|your|it|this)\b[^.!?]*\b(?:with|using|by)|would look|looked like|could look)\b/i,
  ],
  [
    'old',
    /\b(?:used to (?:be|look)|was previously|originally|(?:is|was) the (?:bug|problem|issue|culprit)|the (?:bug|problem|issue|faulty code) (?:is|was|in)|(?:old|previous|original|existing|current) (?:code|version|implementation)|similar (?:bug|problem|issue)|unchanged)\b/i,
  ],
];

/** Matches words in a heading that announce the whole file that its section names. */
const THE_FILE =
  /\b(?:implementation|code|source|full|complete|contents?|file|updated?|after|new|solution|fix(?:ed)?|final|changes?|version)\b/i;

/** Matches words that announce only a part of a file. */
const PARTIAL =
  /^(?:(?:then|now|and|next|first|finally|just|simply|also)\b[, ]*)*(?:add|insert|append|prepend|change|modify|remove|delete|replace (?:the|this|that|line|lines))\b(?! (?:a |the )?(?:new )?(?:file|module)\b)|\b(?:only (?:the|what)|snippets?|excerpts?|relevant (?:parts?|sections?|lines?)|changed (?:parts?|sections?|lines?)|rest of (?:the |this )?file)\b/i;

const HEADING = /^ {0,3}(?:#{1,6} |\*\*[^*]+\*\*:?\s*$)/;
const LIST = /^\s*(?:[-*+•]|\d{1,3}[.)]) /;

const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(?:#{1,6} +|[-*+•] +|\d{1,3}[.)] +|> *)+/, '')
    .replaceAll(/\*\*|__/g, '')
    .trim();

/** Splits a line or paragraph into sentences. A full stop within a name does not end a sentence. */
const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?。！？]["”)*_`]*)\s+(?=[\p{Lu}\p{Lo}`"“*_\d])/u)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function labelOf(sentence: string, isAlone: boolean): NoFile | null {
  const text = bare(sentence)
    .replaceAll(/`[^`]*`/g, '`')
    .replace(/^[`,: ]+/, '');
  const short = text.length < 200 ? text : text.slice(0, 200);
  for (const [why, pattern] of LABELS) if (pattern.test(short)) return why;
  if (!isAlone) return null;
  for (const [why, pattern] of WITHIN) if (pattern.test(short)) return why;
  return null;
}

/** Returns the sentences of the last paragraph before a block, in their order. */
function lastParagraph(above: readonly string[]): readonly string[] {
  const end = above.findLastIndex((line) => line.trim() !== '');
  const taken: string[] = [];
  for (let at = end; at >= 0; at -= 1) {
    const line = above[at] ?? '';
    if (line.trim() === '' || HEADING.test(line) || line.length > LONGEST_MARK) break;
    taken.unshift(line);
    if (LIST.test(line)) break;
  }
  return sentencesOf(taken.join(' '));
}

interface Section {
  readonly naming: Naming;
  /** A heading without a file name between the section's name and the block, or null. */
  readonly below: string | null;
}

/**
 * Returns the nearest heading, bold line or label above a block that names a file. A list item counts only if it is the
 * only one that names a file.
 */
function sectionOf(above: readonly string[]): Section | null {
  let below: string | null = null;
  const listed: Naming[] = [];
  // True while all lines between the current line and the block are prose. Other lines may be the text of a file
  // without a fence; a label above them names that file, not this block.
  let isProse = true;
  for (const line of above.toReversed()) {
    if (line.trim() === '' || line.length > LONGEST_MARK) continue;
    const found = namedBy(line);
    if (HEADING.test(line)) {
      if (found?.by === 'mark') return { naming: found, below };
      below ??= line;
    } else if (found?.by === 'mark' && LIST.test(line)) listed.push(found);
    else if (found?.by === 'mark') return isProse ? { naming: found, below } : null;
    else isProse &&= isTalk(line) || LIST.test(line) || /^\s*(?:\*\*|>)/.test(line);
  }
  const [only] = listed;
  return listed.length === 1 && only !== undefined ? { naming: only, below } : null;
}

const mentionIn = (sentences: readonly string[]): string | null => {
  const last = sentences.at(-1) ?? '';
  return namedBy(last)?.path ?? null;
};

/**
 * Returns the nearest name in a sentence with a verb such as "create". A nearer sentence that only mentions a file ends
 * the search.
 */
function madeIn(sentences: readonly string[]): Naming | null {
  for (const sentence of sentences.toReversed()) {
    const found = namedBy(sentence);
    if (found !== null && found.by !== 'mention') return found;
    if (found !== null) return null;
  }
  return null;
}

function inSection({ naming, below }: Section, sentences: readonly string[]): Context {
  const last = sentences.at(-1) ?? '';
  const why =
    labelOf(below !== null && last === '' ? below : last, last.trim().endsWith(':')) ??
    (below === null ? null : labelOf(below, false));
  if (why !== null && !isDescription(last)) return { kind: 'no_file', why, path: naming.path };
  if (below !== null && !THE_FILE.test(below)) return { kind: 'unclear', mentions: naming.path };
  const announces = /[:：]$/.test(last.trim());
  const other = mentionIn(sentences);
  if (announces && other !== null && other !== naming.path) return { kind: 'unclear', mentions: other };
  const isPart =
    naming.isPart || (PARTIAL.test(bare(last)) && announces) || /\b(?:snippet|excerpt|only the)\b/i.test(last);
  return { kind: 'named', naming: { ...naming, isPart }, isNear: false };
}

/**
 * Returns true for a sentence that ends with a full stop, which describes a file. A sentence with a colon announces the
 * next block.
 */
const isDescription = (sentence: string): boolean => /[.!。]["”)*_`]*$/.test(sentence.trim());

/**
 * Determines from the text above a block whether it names the block's file, says that the block is not a file, or
 * neither.
 */
export function contextOf(above: readonly string[]): Context {
  const at = above.findLastIndex((line) => line.trim() !== '');
  if (at < 0) return { kind: 'unclear', mentions: null };
  const line = above[at] ?? '';
  const near = namedBy(line);
  const sentences = lastParagraph(above);
  if (near?.by === 'mark') return nearMark(near, line);
  const last = sentences.at(-1) ?? (HEADING.test(line) ? line : '');
  const made = madeIn(sentences);
  const isNamedLast = namedBy(last) !== null;
  const why = labelOf(last, true);
  if (made !== null && (isNamedLast || why === null) && !(isDescription(last) && isNamedLast && !isFirm(last)))
    return { kind: 'named', naming: isNamedLast ? made : withPart(made, last), isNear: true };
  const section = sectionOf(above);
  if (section !== null) return inSection(section, HEADING.test(line) ? [] : sentences);
  const heading = above.findLast((one) => HEADING.test(one));
  const said = why ?? (heading === undefined ? null : labelOf(heading, false));
  if (said !== null) return { kind: 'no_file', why: said, path: null };
  return { kind: 'unclear', mentions: mentionIn(sentences) };
}

const withPart = (naming: Naming, last: string): Naming =>
  PARTIAL.test(bare(last)) ? { ...naming, isPart: true } : naming;

/**
 * Returns true if a sentence announces a file although it ends with a full stop, such as "Create `src/a.ts`." or "I
 * updated `src/a.ts`.". Other sentences with a full stop may only describe the file.
 */
const isFirm = (sentence: string): boolean =>
  /^(?:create|write|save|put|add|here|below|this is|the following|replace|update|I(?:['’]ve| have)? (?:created|updated|rewrote|rewritten|wrote|written|refactored))\b/i.test(
    bare(sentence),
  );

/**
 * Interprets a heading or label directly above a block. For example, "### Usage of `src/a.ts`" or "**Before
 * (`src/a.ts`):**" means that the block is not the file.
 */
function nearMark(near: Naming, line: string): Context {
  const words = bare(line)
    .replaceAll(/`[^`]*`/g, ' ')
    .trim();
  const isOnlyName = isFileName(words.replace(/[:：]$/, ''));
  const why = isOnlyName || words === '' ? null : labelOf(words.replaceAll(/[()]/g, ' ').trim(), false);
  return why === null ? { kind: 'named', naming: near, isNear: true } : { kind: 'no_file', why, path: near.path };
}

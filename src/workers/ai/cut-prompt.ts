import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { PromptCut, PromptSegment } from '#protocol/prompt.ts';
import type { PromptPiece } from './prompt-pieces.ts';

/** Minimum size of a shortened text in tokens. A text that would become smaller is left out entirely. */
const LEAST = 64;

/** Tokens that the chat format adds to each message, estimated. */
const FRAME = 4;

export const tokensOf = (text: string): number => estimateTokens(text) + FRAME;

/** Returns the beginning and the end of a text, with a line in between that says how many characters are missing. */
function elide(content: string, share: number): string {
  const keep = Math.floor(content.length * share);
  const head = content.slice(0, Math.ceil(keep / 2)).replace(/[\uD800-\uDBFF]$/, '');
  const tail = keep < 2 ? '' : content.slice(-Math.floor(keep / 2)).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head}\n[… ${content.length - head.length - tail.length} characters are left out here …]\n${tail}`;
}

/** Maximum number of tries to shorten a piece; each keeps less of it. */
const MOST_TRIES = 40;

/** Shortens a piece to fit into `room` tokens, or returns null if too little would remain to be useful. */
function shorten(piece: PromptPiece, room: number): PromptPiece | null {
  if (piece.content === null || room < LEAST) return null;
  let share = room / tokensOf(piece.text);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const text = piece.with(elide(piece.content, share));
    if (tokensOf(text) <= room) return { ...piece, text };
    share *= 0.9;
  }
  return null;
}

/** Returns a file without its content, so that the model knows that it exists, or null for anything else. */
function emptied(piece: PromptPiece): PromptPiece | null {
  if (piece.layer !== 4 || piece.content === null) return null;
  const text = piece.with(elide(piece.content, 0));
  return tokensOf(text) < tokensOf(piece.text) ? { ...piece, text } : null;
}

/**
 * Returns the pieces that may be cut, in the order in which they are cut: layer 5 (position in the run), layer 4
 * (artifacts, last first), layer 3 (static memory, last first), layer 1 (payload, oldest first). The contract is never
 * cut, and the newest payload segment is not in this list.
 */
function order(pieces: readonly PromptPiece[]): readonly PromptPiece[] {
  const of = (layer: number): readonly PromptPiece[] => pieces.filter((piece) => piece.layer === layer);
  return [...of(5), ...of(4).toReversed(), ...of(3).toReversed(), ...of(1).slice(0, -1)];
}

interface Fitted {
  readonly pieces: readonly PromptPiece[];
  readonly cut: readonly PromptCut[];
}

/**
 * Shortens or drops pieces by priority until the prompt fits into `limit` tokens. Files stay without their content if
 * that leaves enough room. Returns null if the pieces that can't be cut are too large.
 */
export const cutToFit = (pieces: readonly PromptPiece[], limit: number): Fitted | null =>
  cutBy(pieces, limit, emptied) ?? cutBy(pieces, limit, () => null);

function cutBy(
  pieces: readonly PromptPiece[],
  limit: number,
  remainderOf: (piece: PromptPiece) => PromptPiece | null,
): Fitted | null {
  let over = pieces.reduce((sum, { text }) => sum + tokensOf(text), 0) - limit;
  const becomes = new Map<PromptPiece, PromptPiece | null>();
  const cut: PromptCut[] = [];
  const newest = pieces.findLast(({ layer }) => layer === 1);
  for (const piece of [...order(pieces), ...(newest === undefined ? [] : [newest])]) {
    if (over <= 0) break;
    const tokens = tokensOf(piece.text);
    const shorter = shorten(piece, tokens - over) ?? remainderOf(piece);
    if (shorter === null && piece === newest) return null;
    const kept = shorter === null ? 0 : tokensOf(shorter.text);
    over -= tokens - kept;
    becomes.set(piece, shorter);
    cut.push({ layer: piece.layer, name: piece.name, tokens, kept });
  }
  if (over > 0) return null;
  return { cut, pieces: pieces.flatMap((piece) => (becomes.has(piece) ? (becomes.get(piece) ?? []) : piece)) };
}

export const counted = ({ layer, name, role, text }: PromptPiece): PromptSegment => ({
  layer,
  name,
  role,
  text,
  tokens: tokensOf(text),
});

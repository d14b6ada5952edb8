import { type Node, visit } from 'jsonc-parser';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, membersOf } from '../text/json-node.ts';

/** A foldable range of lines. Lines count from 0; the first one stays visible. */
interface Fold {
  readonly from: number;
  readonly to: number;
  readonly isComment: boolean;
}

interface Comment {
  readonly from: number;
  readonly to: number;
  readonly isLine: boolean;
}

function commentsOf({ text, positionAt }: ManifestDocument): readonly Comment[] {
  const comments: Comment[] = [];
  visit(text, {
    onComment: (offset, length, line) => {
      comments.push({ from: line, to: positionAt(offset + length).line, isLine: text[offset + 1] === '/' });
    },
  });
  return comments;
}

/** Returns one fold for each block comment of several lines and each group of adjacent line comments. */
function commentFolds(document: ManifestDocument): readonly Fold[] {
  const joined: Comment[] = [];
  for (const comment of commentsOf(document)) {
    const last = joined.at(-1);
    if (last?.isLine === true && comment.isLine && last.to === comment.from - 1)
      joined[joined.length - 1] = { ...last, to: comment.to };
    else joined.push(comment);
  }
  return joined.filter(({ from, to }) => to > from).map(({ from, to }) => ({ from, to, isComment: true }));
}

/** Returns the ranges of a manifest file that an editor can fold: objects, arrays and comments of several lines. */
export function folding(document: ManifestDocument): readonly Fold[] {
  const folds: Fold[] = [];
  const walk = (node: Node | undefined): void => {
    if (node === undefined || (node.type !== 'object' && node.type !== 'array')) return;
    const from = document.positionAt(node.offset).line;
    // The fold ends one line earlier, so that the closing bracket stays visible.
    const to = document.positionAt(node.offset + node.length).line - 1;
    if (to > from) folds.push({ from, to, isComment: false });
    for (const { value } of membersOf(node)) walk(value);
    for (const entry of entriesOf(node)) walk(entry);
  };
  walk(document.tree);
  return document.tree === undefined ? folds : [...folds, ...commentFolds(document)];
}

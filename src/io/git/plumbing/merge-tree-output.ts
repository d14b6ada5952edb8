export interface MergeMessage {
  /** Git's stable name for the type of message, such as `CONFLICT (contents)` or `CONFLICT (rename/rename)`. */
  readonly type: string;
  readonly text: string;
  readonly files: readonly string[];
}

export interface TreeMerge {
  readonly isClean: boolean;
  /** The resulting tree of the merge. If there was a conflict, its files contain conflict markers. */
  readonly tree: string;
  /** The files in conflict. A conflict about directories may have none. */
  readonly files: readonly string[];
  readonly messages: readonly MergeMessage[];
}

function filesFrom(parts: readonly string[], from: number): readonly string[] {
  const end = parts.indexOf('', from);
  return parts.slice(from, end < 0 ? parts.length : end);
}

/**
 * Parses the output of `git merge-tree --stdin -z --name-only --messages`. A truncated merge at the end of the output
 * is left out.
 */
export function readMerges(text: string): readonly TreeMerge[] {
  const parts = text.split('\0');
  const merges: TreeMerge[] = [];
  for (let at = 0; at + 1 < parts.length;) {
    const [status = '', tree = ''] = parts.slice(at, at + 2);
    const files = filesFrom(parts, at + 2);
    at += 2 + files.length + 1;
    const messages: MergeMessage[] = [];
    while (at < parts.length && parts[at] !== '') {
      const count = Number(parts[at]);
      const [type = '', said = ''] = parts.slice(at + 1 + count, at + 3 + count);
      messages.push({ type, text: said.trimEnd(), files: parts.slice(at + 1, at + 1 + count) });
      at += 3 + count;
    }
    // The empty part that ends each merge is missing, so the output was truncated within this merge.
    if (at + 1 >= parts.length) break;
    at += 1;
    merges.push({ isClean: status === '1', tree, files, messages });
  }
  return merges;
}

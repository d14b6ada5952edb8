import { createTwoFilesPatch, formatPatch } from 'diff';

const CONTEXT = 3;
/** The maximum number of lines to diff: the time grows with their square. */
const MOST_CHANGED_LINES = 2_000;

/** Splits a text into lines that keep their line ends. */
const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

const marked = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );

/** Returns the number of equal leading lines. */
function sameLines(left: readonly string[], right: readonly string[], most: number): number {
  let count = 0;
  while (count < most && left[count] === right[count]) count += 1;
  return count;
}

/** Returns one hunk from the first to the last differing line. */
function wholeHunk(oldName: string, newName: string, before: string, after: string): string {
  const [old, now] = [linesIn(before), linesIn(after)];
  const most = Math.min(old.length, now.length);
  const head = sameLines(old, now, most);
  const tail = sameLines(old.toReversed(), now.toReversed(), most - head);
  const from = Math.max(0, head - CONTEXT);
  const more = Math.min(tail, CONTEXT);
  const [oldEnd, newEnd] = [old.length - tail, now.length - tail];
  const lines = [
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, oldEnd)),
    ...marked('+', now.slice(head, newEnd)),
    ...marked(' ', old.slice(oldEnd, oldEnd + more)),
  ];
  const hunk = {
    oldStart: from + 1,
    newStart: from + 1,
    lines,
    oldLines: oldEnd + more - from,
    newLines: newEnd + more - from,
  };
  return formatPatch({
    oldFileName: oldName,
    newFileName: newName,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  });
}

/** Returns a unified diff that `git apply` and `patch` accept. `before` is null for a new file. */
export function fileDiff(name: string, before: string | null, after: string): string {
  const names = [before === null ? '/dev/null' : `a/${name}`, `b/${name}`] as const;
  const diff =
    createTwoFilesPatch(...names, before ?? '', after, undefined, undefined, {
      context: CONTEXT,
      maxEditLength: MOST_CHANGED_LINES,
    }) ?? wholeHunk(...names, before ?? '', after);
  return diff.replace(/^=+\n/, '');
}

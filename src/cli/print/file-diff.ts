import { createTwoFilesPatch, formatPatch } from 'diff';

const CONTEXT = 3;
/** The time to find the smallest diff grows with the square of it. */
const MOST_CHANGED_LINES = 2_000;

/** With their ends. */
const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

const marked = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );

/** How many are the same from the start on. */
function sameLines(left: readonly string[], right: readonly string[], most: number): number {
  let count = 0;
  while (count < most && left[count] === right[count]) count += 1;
  return count;
}

/** All from the first line that differs to the last one as one change. */
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
    ...{ oldStart: from + 1, newStart: from + 1, lines },
    ...{ oldLines: oldEnd + more - from, newLines: newEnd + more - from },
  };
  return formatPatch({
    ...{ oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined },
    hunks: [hunk],
  });
}

/** As `git apply` and `patch` read it. `before`: null where there was no file. */
export function fileDiff(name: string, before: string | null, after: string): string {
  const names = [before === null ? '/dev/null' : `a/${name}`, `b/${name}`] as const;
  const diff =
    createTwoFilesPatch(...names, before ?? '', after, undefined, undefined, {
      context: CONTEXT,
      maxEditLength: MOST_CHANGED_LINES,
    }) ?? wholeHunk(...names, before ?? '', after);
  return diff.replace(/^=+\n/, '');
}

import type { Graph } from '#protocol/graph.ts';
import type { GraphDifference } from '../compare/compare-graphs.ts';
import { describeItem } from './describe-item.ts';
import { type DifferenceLine, differenceLines, rowChange } from './difference-lines.ts';
import { code, fenced } from './markdown.ts';

/** The two graphs that differ. */
interface ComparedGraphs {
  readonly before: Graph;
  readonly after: Graph;
}

const COUNTED = [
  ['added', 'added'],
  ['removed', 'removed'],
  ['renamed', 'renamed'],
  ['changed', 'changed'],
] as const;

/** Returns one line with the number of differences of each kind, such as "2 blocks added, 1 worker changed". */
export function summaryOf(differences: readonly GraphDifference[]): string {
  const counts = COUNTED.flatMap(([change, word]) =>
    (['node', 'block', 'worker', 'manifest'] as const).flatMap((subject) => {
      const ids = new Set(differences.filter((one) => one.change === change && one.subject === subject).map(keyOf));
      const noun = subject === 'manifest' ? 'manifest setting' : subject;
      const { size } = subject === 'manifest' ? new Set(fieldsOf(differences)) : ids;
      return ids.size === 0 ? [] : [`${size} ${noun}${size === 1 ? '' : 's'} ${word}`];
    }),
  );
  return [...counts, ...rowCounts(differences)].join(', ');
}

function rowCounts(differences: readonly GraphDifference[]): readonly string[] {
  const changes = differences.map(rowChange);
  return (['added', 'removed', 'redirected', 'changed'] as const).flatMap((change) => {
    const count = changes.filter((one) => one === change).length;
    return count === 0 ? [] : [`transitions of ${count} signal${count === 1 ? '' : 's'} ${change}`];
  });
}

const fieldsOf = (differences: readonly GraphDifference[]): readonly string[] =>
  differences.flatMap((one) => (one.change === 'changed' && one.subject === 'manifest' ? [one.field] : []));

const keyOf = (one: GraphDifference): string => `${one.subject} ${one.change === 'renamed' ? one.to : one.id}`;

/** Returns differences grouped by the node, block or worker that they are about, in their order. */
export function groupDifferences(
  differences: readonly GraphDifference[],
): ReadonlyMap<string, readonly GraphDifference[]> {
  const groups = new Map<string, GraphDifference[]>();
  for (const one of differences) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Returns the heading of a group, such as "block `Fix__Write`: changed". */
function headingOf(group: readonly GraphDifference[]): string {
  const [first] = group;
  if (first === undefined) return '';
  const renamed = group.find((one) => one.change === 'renamed');
  const name = first.subject === 'manifest' ? 'manifest' : `${first.subject} ${code(renamed?.to ?? first.id)}`;
  const what = renamed === undefined ? first.change : `renamed from ${code(renamed.id)}`;
  return `### ${name}: ${what}\n`;
}

const fieldOf = (name: string, note: string | null, lines: readonly DifferenceLine[]): string =>
  `\n${code(name)}${note === null ? '' : ` ${note}`}\n\n${fenced(
    lines.map(({ sign, text }) => `${sign} ${text}`),
    'diff',
  )}`;

const bodyOf = (group: readonly GraphDifference[], { before, after }: ComparedGraphs): string =>
  group
    .flatMap((one) =>
      one.change === 'changed'
        ? [fieldOf(one.field, rowChange(one), differenceLines(one))]
        : describeItem(one, before, after).map(({ field, value }) => {
            const sides = one.change === 'added' ? { before: null, after: value } : { before: value, after: null };
            return fieldOf(field, null, differenceLines(sides));
          }),
    )
    .join('');

/** Writes the differences of two manifests for a pull request. The same differences give the same text. */
export function differencesMarkdown(differences: readonly GraphDifference[], graphs: ComparedGraphs): string {
  if (differences.length === 0) return 'The behaviour of the workflow does not change.\n';
  const groups = [...groupDifferences(differences).values()];
  return [
    `The behaviour of the workflow changes: ${summaryOf(differences)}.\n`,
    ...groups.map((group) => `${headingOf(group)}${bodyOf(group, graphs)}`),
  ].join('\n');
}

import type { JsonValue } from '#protocol/json.ts';
import type { GraphDifference } from '../compare/compare-graphs.ts';
import { code, fenced } from './markdown.ts';

const COUNTED = [
  ['added', 'added'],
  ['removed', 'removed'],
  ['renamed', 'renamed'],
  ['changed', 'changed'],
] as const;

/** Returns one line that counts differences by what they are about, such as "2 blocks added, 1 worker changed". */
export function summaryOf(differences: readonly GraphDifference[]): string {
  const counts = COUNTED.flatMap(([change, word]) =>
    (['node', 'block', 'worker', 'manifest'] as const).flatMap((subject) => {
      const ids = new Set(differences.filter((one) => one.change === change && one.subject === subject).map(keyOf));
      const noun = subject === 'manifest' ? 'manifest setting' : subject;
      const { size } = subject === 'manifest' ? new Set(fieldsOf(differences)) : ids;
      return ids.size === 0 ? [] : [`${size} ${noun}${size === 1 ? '' : 's'} ${word}`];
    }),
  );
  return counts.join(', ');
}

const fieldsOf = (differences: readonly GraphDifference[]): readonly string[] =>
  differences.flatMap((one) => (one.change === 'changed' && one.subject === 'manifest' ? [one.field] : []));

const keyOf = (one: GraphDifference): string => `${one.subject} ${one.change === 'renamed' ? one.to : one.id}`;

/** Splits a value into lines for a line-by-line comparison. */
export function valueLines(value: JsonValue): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return value.split('\n');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.flatMap((one) => one.split('\n'));
  return JSON.stringify(value, null, 2).split('\n');
}

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

const bodyOf = (group: readonly GraphDifference[]): string =>
  group
    .flatMap((one) =>
      one.change === 'changed'
        ? [
            `\n${code(one.field)}\n`,
            fenced(
              [
                ...valueLines(one.before).map((line) => `- ${line}`),
                ...valueLines(one.after).map((line) => `+ ${line}`),
              ],
              'diff',
            ),
          ]
        : [],
    )
    .join('\n');

/** Writes the differences of two manifests for a pull request. The same differences give the same text. */
export function differencesMarkdown(differences: readonly GraphDifference[]): string {
  if (differences.length === 0) return 'The behaviour of the workflow does not change.\n';
  const groups = [...groupDifferences(differences).values()];
  return [
    `The behaviour of the workflow changes: ${summaryOf(differences)}.\n`,
    ...groups.map((group) => `${headingOf(group)}${bodyOf(group)}`),
  ].join('\n');
}

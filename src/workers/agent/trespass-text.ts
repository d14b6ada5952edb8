import type { GuardReport, Trespass } from '#protocol/agent.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';

const SHOWN = 100;

const WHAT: Readonly<Record<Trespass['what'], string>> = {
  added: 'is new',
  changed: 'was changed',
  removed: 'was removed',
  mode: 'has other rights',
  'leads out': 'is a link that leads out',
  moved: 'was moved: a commit or a checkout',
  staged: 'was changed in the index of git',
};

const lineOf = ({ path, what, restored }: Trespass): string =>
  `${path} ${WHAT[what]}${restored ? '' : ' (it could NOT be put back)'}`;

const listed = (lines: readonly string[]): readonly string[] =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `… and ${lines.length - SHOWN} more`];

/**
 * Describes what an agent changed outside the block's access and what was rolled back, or returns null if it kept to
 * its access.
 */
export function trespassText({ trespasses, rescued }: GuardReport): string | null {
  if (trespasses.length === 0) return null;
  const all = trespasses.every(({ restored }) => restored);
  return [
    `Changed outside of the block's "access"${all ? ', and put back' : ''}:`,
    ...listed(trespasses.map(lineOf)),
    ...(rescued === null ? [] : [`What it wrote there is in ${rescued}.`]),
    'If the block may write there, add it to its "access": { "paths": […] }.',
  ].join('\n');
}

const unclearText = ({ unclear }: GuardReport): readonly string[] =>
  unclear.length === 0
    ? []
    : ['Changed outside while other blocks worked in the same folder, by this one or by them:', ...listed(unclear)];

/** Returns the segment that lists an agent's actions and the files it changed, or null if there are none. */
export function workSegment(report: GuardReport, activity: readonly string[], meta: JsonObject): SegmentDraft | null {
  const { changed } = report;
  const lines = [
    ...(changed.length === 0 ? [] : ['Files changed:', ...listed(changed)]),
    ...unclearText(report),
    ...(activity.length === 0 ? [] : ['What it did:', ...activity]),
  ];
  if (lines.length === 0) return null;
  return {
    type: 'AGENT_WORK',
    content: lines.join('\n'),
    meta: { changed: changed.slice(0, SHOWN), changed_count: changed.length, ...meta },
  };
}

export const trespassSegment = (report: GuardReport, text: string): SegmentDraft => ({
  type: 'ACCESS_VIOLATION',
  content: text,
  meta: {
    paths: report.trespasses.slice(0, SHOWN).map(({ path }) => path),
    count: report.trespasses.length,
    rescued: report.rescued,
  },
});

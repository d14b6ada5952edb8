import type { GuardReport, Trespass } from '#protocol/agent.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';

const SHOWN = 100;

const WHAT: Readonly<Record<Trespass['what'], string>> = {
  added: 'is new',
  changed: 'was changed',
  removed: 'was removed',
  mode: 'has other permissions',
  'leads out': 'is a link that leads out of the folder',
  moved: 'was moved by a commit or a checkout',
  staged: "was changed in git's index",
};

const lineOf = ({ path, what, restored }: Trespass): string =>
  `${path} ${WHAT[what]}${restored ? '' : ' (could NOT be rolled back)'}`;

const listed = (lines: readonly string[]): readonly string[] =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `… and ${lines.length - SHOWN} more`];

/** Matches what no access allows a block to write. */
const OF_NO_BLOCK = /^\.(?:git|flow|vision)\//;

const ADVICE = 'To allow the block to write there, add the path to its "access": { "paths": […] }.';

const isNewBranch = ({ path, what }: Trespass): boolean => what === 'added' && path.startsWith('.git/refs/heads/');

/**
 * Describes the changes that an agent made outside the block's access and what was rolled back, or returns null if
 * there are none.
 */
export function trespassText({ trespasses, rescued }: GuardReport): string | null {
  if (trespasses.length === 0) return null;
  const all = trespasses.every(({ restored }) => restored);
  return [
    `Changed outside the block's "access"${all ? ' (rolled back)' : ''}:`,
    ...listed(trespasses.map(lineOf)),
    ...(rescued === null ? [] : [`The rolled-back content is saved in ${rescued}.`]),
    ...(trespasses.some(isNewBranch) ? ['The commits of its branches are kept below refs/robosmith/rescue/.'] : []),
    ...(trespasses.every(({ path }) => OF_NO_BLOCK.test(path)) ? [] : [ADVICE]),
  ].join('\n');
}

/** Describes what an interrupted block left, or returns null if there is nothing to say. */
export function interruptedText(block: string, left: GuardReport): string | null {
  const { unclear } = left;
  const text = trespassText(left);
  const lines = [
    ...(text === null ? [] : [text]),
    ...(unclear.length === 0
      ? []
      : [`Changed after that, by you or by what it had started, and left as it is: ${listed(unclear).join(', ')}`]),
  ];
  return lines.length === 0 ? null : `${block} was interrupted. ${lines.join('\n')}`;
}

const unclearText = ({ unclear }: GuardReport): readonly string[] =>
  unclear.length === 0
    ? []
    : [
        'Changed outside the block\'s "access", by this block or by others that worked in the same folder:',
        ...listed(unclear),
      ];

/** Returns the segment that lists an agent's actions and the files it changed, or null if there are none. */
export function workSegment(report: GuardReport, activity: readonly string[], meta: JsonObject): SegmentDraft | null {
  const { changed } = report;
  const lines = [
    ...(changed.length === 0 ? [] : ['Files changed:', ...listed(changed)]),
    ...unclearText(report),
    ...(activity.length === 0 ? [] : ['Actions of the agent:', ...activity]),
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

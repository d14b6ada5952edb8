import { openClashCheck, reportOf } from '#clash/index.ts';
import type { ClashPair, ClashReport, ClashVerdict } from '#protocol/clash.ts';
import type { Session } from '#protocol/session.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** The verdicts that a person has to know before the work is merged, in words. */
const BAD: Readonly<Partial<Record<ClashVerdict, string>>> = {
  conflict: 'conflict',
  clash_proved: 'clash, proved',
  clash_likely: 'clash, likely',
};

const MOST = 3;

async function reportOn(branch: string, worktree: string, env: CliIo['env']): Promise<ClashReport | null> {
  const check = await openClashCheck(worktree, env, () =>
    Promise.resolve({ base: null, branches: [], pullRequests: [], only: [branch] }),
  );
  if ('kind' in check) return null;
  try {
    const compared = await check.compare(null);
    return 'kind' in compared ? null : reportOf(await check.analyse(compared), []);
  } finally {
    await check.close();
  }
}

const count = (number: number, what: string): string => `${String(number)} ${what}${number === 1 ? '' : 's'}`;

/**
 * Says how a session's work fits together with the other worktrees of the repository, in at most a few lines. Empty if
 * there are none, or if git can't compare them.
 */
export async function otherWorktrees({ branch, worktree }: Session, io: CliIo): Promise<readonly string[]> {
  if (worktree === null) return [];
  const report = await reportOn(branch, worktree, io.env).catch(() => null);
  if (report === null) return [];
  const { paint, symbols } = styleFor(io.stderr, io);
  const others = new Set(
    report.sides.filter(({ kind, name }) => kind === 'worktree' && name !== branch).map(({ name }) => name),
  );
  const otherOf = ({ sides }: ClashPair): string => sides.find((name) => name !== branch) ?? '';
  const pairs = report.pairs.filter((pair) => others.has(otherOf(pair)));
  const bad = pairs.filter(({ verdict }) => BAD[verdict] !== undefined);
  const unknown = pairs.filter(({ verdict }) => verdict === 'not_compared');
  const isBase = new Set(report.sides.filter((side) => side.is_base).map(({ name }) => name));
  const compared = [...others].filter((name) => !isBase.has(name)).length - unknown.length;
  const lines = bad.slice(0, MOST).map((pair) => {
    const place = pair.files[0] === undefined ? '' : `  ${pair.files[0]}`;
    return paint.yellow(`${symbols.warn} ${BAD[pair.verdict] ?? ''} with ${harmless(otherOf(pair))}${harmless(place)}`);
  });
  const more = bad.length > MOST ? [paint.yellow(`${symbols.warn} and ${count(bad.length - MOST, 'other')}`)] : [];
  const left = unknown.length === 0 ? [] : [paint.dim(`${count(unknown.length, 'worktree')} could not be compared.`)];
  const isClear = pairs.every(({ verdict }) => verdict === 'clear');
  const fine =
    bad.length > 0 || compared <= 0
      ? []
      : [
          paint.dim(
            isClear
              ? `Clear of ${count(compared, 'other worktree')}.`
              : `No clash with ${count(compared, 'other worktree')} found.`,
          ),
        ];
  return [...lines, ...more, ...fine, ...left];
}

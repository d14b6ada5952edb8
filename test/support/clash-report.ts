import { type CheckRequest, openClashCheck, reportOf } from '#clash/index.ts';
import type { ClashPair, ClashReport } from '#protocol/clash.ts';

const ALL: CheckRequest = { base: null, branches: [], pullRequests: [], only: [] };

/** Compares everything in the repository that contains a folder, and closes the check. Throws the message of a refusal. */
export async function clashReport(
  cwd: string,
  request: Partial<CheckRequest> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ClashReport> {
  const check = await openClashCheck(cwd, environment, () => Promise.resolve({ ...ALL, ...request }));
  if ('kind' in check) throw new Error(check.message);
  try {
    const textual = await check.compare(null);
    if ('kind' in textual) throw new Error(textual.message);
    return reportOf(await check.analyse(textual), []);
  } finally {
    await check.close();
  }
}

/** Returns one line per pair: names, verdict, files and reason. */
export const summary = ({ pairs }: ClashReport): readonly string[] =>
  pairs.map(({ sides, verdict, files, reason }: ClashPair) =>
    [[...sides].sort().join(' x '), verdict, files.join(' '), reason ?? ''].join(' | ').replace(/( \| )+$/, ''),
  );

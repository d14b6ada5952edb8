import type { FramePath, RunId, StepKey } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';

export const localKey = (run: RunId, key: StepKey): LocalKey => key.slice(run.length) as LocalKey;

/** The frame of `/<frame path>/<block>#<visit>`. */
export const frameOf = (key: LocalKey): FramePath => (key.slice(0, key.lastIndexOf('/')) || '/') as FramePath;

/** The visit of a repair's key `<visit>!repair<n>`. */
export const visitOf = (key: LocalKey): LocalKey => {
  const at = key.indexOf('!');
  return at === -1 ? key : (key.slice(0, at) as LocalKey);
};

/** The visit that an entry of the path is about. */
export const keyOf = ({ frame, block, visit }: PathEntry): LocalKey =>
  `${frame === '/' ? '' : frame}/${block}#${visit}` as LocalKey;

import type { FramePath, RunId, StepKey } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { StepSpec } from '#protocol/run.ts';

export const localKey = (run: RunId, key: StepKey): LocalKey => key.slice(run.length) as LocalKey;

/** The frame of `/<frame path>/<block>#<visit>`. */
export const frameOf = (key: LocalKey): FramePath => (key.slice(0, key.lastIndexOf('/')) || '/') as FramePath;

/** What is executed under this key: `<visit>!repair<n>` and `<visit>!evidence<n>` belong to a visit. */
export const roleOf = (key: LocalKey): StepSpec['role'] =>
  key.includes('!evidence') ? 'evidence' : key.includes('!repair') ? 'repair' : 'block';

/** The visit that a key belongs to. */
export const visitOf = (key: LocalKey): LocalKey => {
  const at = key.indexOf('!');
  return at === -1 ? key : (key.slice(0, at) as LocalKey);
};

/** The visit that an entry of the path is about. */
export const keyOf = ({ frame, block, visit }: PathEntry): LocalKey =>
  `${frame === '/' ? '' : frame}/${block}#${visit}` as LocalKey;

export const executionId = (key: LocalKey, attempt: number): string => `${key} ${attempt}`;

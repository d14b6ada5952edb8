import type { FramePath, RunId, StepKey } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { StepSpec } from '#protocol/run.ts';

export const localKey = (run: RunId, key: StepKey): LocalKey => key.slice(run.length) as LocalKey;

/** Returns the frame of `/<frame path>/<block>#<visit>`. */
export const frameOf = (key: LocalKey): FramePath => (key.slice(0, key.lastIndexOf('/')) || '/') as FramePath;

/** Returns what a key executes: `<visit>!repair<n>` and `<visit>!evidence<n>` belong to a visit. */
export const roleOf = (key: LocalKey): StepSpec['role'] =>
  key.includes('!evidence') ? 'evidence' : key.includes('!repair') ? 'repair' : 'block';

/** Returns the visit that a key belongs to. */
export const visitOf = (key: LocalKey): LocalKey => {
  const at = key.indexOf('!');
  return at === -1 ? key : (key.slice(0, at) as LocalKey);
};

/** Returns the key of the visit of a path entry. */
export const keyOf = ({ frame, block, visit }: PathEntry): LocalKey =>
  `${frame === '/' ? '' : frame}/${block}#${visit}` as LocalKey;

export const executionId = (key: LocalKey, attempt: number): string => `${key} ${attempt}`;

import type { replayStored } from '#engine/index.ts';
import type { PathEntry } from '#protocol/response.ts';

export type Difference = Extract<
  Awaited<ReturnType<typeof replayStored>>,
  { readonly kind: 'different' }
>['difference'];

/** Formats one entry of a path, or its replacement text, on one line. */
export function lookUpText(of: PathEntry | string): string {
  if (typeof of === 'string') return of;
  const { step, block, visit, signal, action } = of;
  return `step ${step}, ${block}#${visit}: ${signal ?? 'no signal'}, ${action ?? 'no action'}`;
}

export const differenceText = ({ recorded, now }: Difference): string =>
  `recorded: ${lookUpText(recorded)}; now: ${lookUpText(now)}`;

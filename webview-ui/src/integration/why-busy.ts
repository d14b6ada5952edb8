import type { IntegrationState } from '#protocol/generated/view.gen.ts';
import type { ViewModel } from '../model/view-model.svelte.ts';

const VERB = {
  merge: 'Merging',
  hold: 'Holding',
  discard: 'Discarding',
  push: 'Pushing',
  update: 'Updating from base',
} as const;

/** Returns why nothing can be done with a session now, for the user; null if something can. */
export function whyBusy({ engine }: Pick<ViewModel, 'engine'>, { busy }: IntegrationState): string | null {
  if (engine.kind === 'lost') return 'The connection to the engine is lost.';
  return busy === null ? null : `${VERB[busy.verb]} is in progress.`;
}

import { fullSignal, shortSignal } from '../names/signal-keys.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { KeyOffer } from './offer-schema.ts';
import { offerSignals } from './offer-values.ts';

/** Returns completions for the keys of rows by signal (`on`, `default_transitions`): the signals without a row. */
export function offerSignalKeys(project: ManifestProject, present: ReadonlySet<string>): readonly KeyOffer[] {
  const handled = new Set([...present].map(fullSignal));
  return offerSignals(project)
    .filter(({ text }) => !handled.has(text))
    .map(({ text, detail }): KeyOffer => ({
      name: shortSignal(text),
      value: '"$1"',
      isRequired: false,
      description: detail,
      continues: true,
    }));
}

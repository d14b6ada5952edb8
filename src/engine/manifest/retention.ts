import { findManifest } from '#io/project/project.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { PruneRules } from '#protocol/prune.ts';
import { readAge, readBytes } from '#protocol/read-amount.ts';
import { loadManifest } from './load-manifest.ts';

/** Returns the rules of `retention`, whose shape the schema has checked. */
function rulesOf({ keep, older_than: age, max_size: size }: JsonObject, now: number): PruneRules {
  const ms = typeof age === 'string' ? readAge(age) : null;
  const bytes = typeof size === 'string' ? readBytes(size) : null;
  return {
    ...(typeof keep === 'number' ? { keep } : {}),
    ...(ms === null ? {} : { before: now - ms }),
    ...(bytes === null ? {} : { bytes }),
  };
}

/** Returns which runs the project's manifest removes; null if it removes none, or has errors. */
export async function retentionOf(root: string, now: number): Promise<PruneRules | null> {
  const file = await findManifest(root);
  if (file === null) return null;
  const loaded = await loadManifest(file, { root });
  const retention = loaded?.compilation.workflow?.graph.retention;
  const rules = retention === undefined ? {} : rulesOf(retention, now);
  return Object.keys(rules).length === 0 ? null : rules;
}

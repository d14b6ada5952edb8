import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

export const ROOT = join(import.meta.dirname, '../..');

const readOptions = () => extractDepcruiseOptions(join(ROOT, '.dependency-cruiser.mjs'));

export async function ruleNames(): Promise<readonly string[]> {
  const { ruleSet } = await readOptions();
  return ruleSet?.forbidden?.map(({ name }) => name ?? 'unnamed') ?? [];
}

/**
 * Checks folders against the repository's import rules. `tree` is the parent of these folders, with the repository's
 * layout.
 */
export async function cruiseTree(tree: string, folders: readonly string[]): Promise<ICruiseResult> {
  const options = await readOptions();
  const tsConfig = extractTSConfig(join(ROOT, 'tsconfig.json'));
  const { output } = await cruise([...folders], { ...options, validate: true, baseDir: tree }, undefined, { tsConfig });
  if (typeof output === 'string') throw new Error('dependency-cruiser returned a report, not a result');
  return output;
}

import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

export const ROOT = join(import.meta.dirname, '../..');

const readOptions = () => extractDepcruiseOptions(join(ROOT, '.dependency-cruiser.mjs'));

const readRules = async () => (await readOptions()).ruleSet?.forbidden ?? [];

export const ruleNames = async (): Promise<readonly string[]> =>
  (await readRules()).map(({ name }) => name ?? 'unnamed');

/** Returns the patterns of the packages that each listed folder of `src` may import. */
export async function allowedPackages(): Promise<readonly { readonly folder: string; readonly pattern: string }[]> {
  const lists = (await readRules()).filter(({ name }) => name?.startsWith('npm-') === true);
  return lists.flatMap((list) => {
    const { pathNot = [] } = 'to' in list ? list.to : {};
    return [pathNot].flat().map((pattern) => ({ folder: list.name?.replace('npm-', '') ?? '', pattern }));
  });
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

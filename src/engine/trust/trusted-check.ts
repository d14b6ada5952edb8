import { findManifest } from '#io/project/project.ts';
import { loadManifest } from '../manifest/load-manifest.ts';
import { approvedList } from './check-trust.ts';

/** The command `check` of a project's manifest; `argv` is null if there is none, or if it may not run. */
interface TrustedCheck {
  readonly argv: readonly string[] | null;
  readonly notes: readonly string[];
}

/** Returns the command `check` of a folder's manifest if the user has trusted this project. Asks nobody. */
export async function trustedCheck(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TrustedCheck> {
  const file = await findManifest(root);
  const loaded = file === null ? null : await loadManifest(file, { root });
  const graph = loaded?.compilation.workflow?.graph;
  const argv = graph?.commands['check'];
  if (loaded === null || graph === undefined || argv === undefined || argv.length === 0)
    return { argv: null, notes: [] };
  if ((await approvedList(graph, root, environment)) !== null) return { argv, notes: [] };
  const why = 'The command "check" of the manifest did not run, because this project is not trusted.';
  return { argv: null, notes: [`${why} \`robosmith registry check --trust\` trusts it.`] };
}

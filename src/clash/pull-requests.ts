import { askForge, findForgeProgram, forgeRefusal } from '#io/forge/ask-forge.ts';
import { forgePlace } from '#io/forge/pull-request-page.ts';
import { fetchCommits } from '#io/git/readonly/fetch-commits.ts';
import type { ReadOnlyRepository } from '#io/git/readonly/open-repository.ts';
import { processes } from '#io/process/process.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';
import { revisionSide, type Side } from './sides.ts';

interface OpenPullRequest {
  readonly number: number;
  readonly branch: string;
  readonly target: string;
  readonly commit: string;
}

/** Reads the list of `gh pr list` or `glab mr list`. */
function readList(text: string): readonly OpenPullRequest[] {
  const value = JSON.parse(text) as JsonValue;
  return (Array.isArray(value) ? value : []).flatMap((one: JsonValue): readonly OpenPullRequest[] => {
    if (!isObject(one)) return [];
    const number = one['number'] ?? one['iid'];
    const branch = one['headRefName'] ?? one['source_branch'];
    const target = one['baseRefName'] ?? one['target_branch'];
    const commit = one['headRefOid'] ?? one['sha'];
    if (typeof number !== 'number' || typeof branch !== 'string' || typeof target !== 'string') return [];
    return typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit) ? [{ number, branch, target, commit }] : [];
  });
}

/** Fetches the open pull requests of `origin` and returns their sides. Throws the failures of forges. */
export async function pullRequestSides(repository: ReadOnlyRepository): Promise<readonly Side[]> {
  const { folder, git } = repository;
  const ask = askForge(processes, { folder });
  const named = await git(folder, ['remote', 'get-url', '--', 'origin']);
  const found = await findForgeProgram(named.ok ? forgePlace(named.out) : null, ask);
  if (!found.ok) throw new RoboSmithError(found.code, `${found.message}.`);
  const { program, place } = found;
  const listed = await ask(program, program.findOpen(place));
  if (listed.kind === 'failed' || !listed.ok) {
    const { code, message } = forgeRefusal(program, listed, 'the open pull requests can not be listed');
    throw new RoboSmithError(code, `${message}.`);
  }
  const all = readList(listed.out);
  const failed = await fetchCommits(
    repository,
    all.map(({ number }) => program.refOf(number)),
  );
  if (failed !== null) throw new RoboSmithError('forge_failed', `${failed.message}.`);
  return all.map(({ number, branch, target, commit }) => ({
    ...revisionSide(`#${number} ${branch}`, commit, 'pull_request'),
    target,
  }));
}

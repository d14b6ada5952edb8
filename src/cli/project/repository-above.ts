import { worktreeTop } from '#engine/authoring.ts';

/** Returns the top of the repository if the project is only a folder of it; null otherwise. */
export async function repositoryAbove(root: string): Promise<string | null> {
  const top = await worktreeTop(root);
  return top === root ? null : top;
}

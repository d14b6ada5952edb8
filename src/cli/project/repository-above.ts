import { worktreeTop } from '#engine/authoring.ts';

/** The top of the repository that a project is only a folder of; null: it is that itself, or in none. */
export async function repositoryAbove(root: string): Promise<string | null> {
  const top = await worktreeTop(root);
  return top === root ? null : top;
}

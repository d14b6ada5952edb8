/**
 * What a name is called where case and composition make no difference: `ß` is `ss`, `é` is `e` with an accent.
 * Coarser than any one file system, since a project may be checked out on all of them.
 */
export const foldName = (name: string): string => name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');

/**
 * Normalizes a file name so that names which differ only in case or Unicode composition become equal: `ß` equals `ss`,
 * and `é` equals `e` with an accent. It treats more names as equal than any single file system does, because a project
 * may be checked out on all of them.
 */
export const foldName = (name: string): string => name.normalize('NFD').toLowerCase().toUpperCase().normalize('NFD');

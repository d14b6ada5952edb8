export const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n';

/** Git settings that simulate a repository that uses Git LFS on a machine where LFS is not installed. */
export const LFS_AWAY: readonly (readonly [string, string])[] = [
  ['filter.lfs.smudge', 'git-lfs-is-away smudge -- %f'],
  ['filter.lfs.process', 'git-lfs-is-away filter-process'],
  ['filter.lfs.required', 'true'],
  // Disables `git lfs` on machines where it is installed.
  ['alias.lfs', '!false'],
];

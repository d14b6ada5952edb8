/** Causes of failures that are independent of the repository's content. Any git command can fail for them. */
export type GitCause = 'disk_full' | 'path_too_long' | 'filter_failed' | 'read_only';

/**
 * The English messages of git, or of a program that it started, for each cause, and advice for the user. The first
 * match counts.
 */
export const GIT_CAUSES: readonly (readonly [RegExp, GitCause, next: string])[] = [
  [
    /No space left on device|Out of diskspace|Disk quota exceeded/i,
    'disk_full',
    'the disk is full: free some space, then try again',
  ],
  [
    /file ?name too long/i,
    'path_too_long',
    'set a shorter folder for worktrees (on Windows also `git config core.longpaths true`)',
  ],
  [/filter .* failed/, 'filter_failed', 'the program of a filter in .gitattributes failed'],
  [
    /(?:Permission denied|Operation not permitted)$|Read-only file system|unable to create directory for/im,
    'read_only',
    'git has no permission to write there',
  ],
];

/** Matches the message about a lock file that another git process holds or has left behind. The group is the file. */
export const LOCK_FILE = /'([^']+\.lock)': File exists/;

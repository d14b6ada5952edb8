/** The portable state of a held session, committed on its branch; it never reaches the base (spec/worktrees.md "Finish and hold"). */
export const STATE_FILE = '.robo/session.json';

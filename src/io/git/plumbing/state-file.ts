/** The portable state of a held session. It is committed on the session's branch and never reaches the base. */
export const STATE_FILE = '.robo/session.json';

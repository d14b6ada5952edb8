import type { Session } from '#protocol/session.ts';

/** States whose name does not follow "is" in a sentence, with the words that do. */
const WORDS: Partial<Record<Session['state'], string>> = {
  draft: 'a draft',
  creating: 'being created',
  merging: 'being merged',
  updating: 'being updated',
  holding: 'being put on hold',
  discarding: 'being discarded',
};

/** Returns the words that follow "is" in a sentence about a session. */
export const stateWords = (state: Session['state']): string => WORDS[state] ?? state;

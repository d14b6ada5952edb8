import type { Edit, Reply } from './changes.ts';
import type { Answerer } from './mock-model.ts';

/** Returns the texts of an edit that a model can only know from the file. */
const quotedBy = ({ start, end, expected }: Edit): readonly string[] =>
  [start, end, expected].filter((text) => typeof text === 'string');

/**
 * Returns a mock model that makes these edits. It refuses if its prompt lacks the text that an edit quotes. It answers
 * SUCCESS to blocks without edits.
 */
export const mockAnswer =
  (replies: readonly Reply[]): Answerer =>
  (prompt) => {
    const edits = replies.find(({ contract }) => prompt.startsWith(`# Your task\n\n${contract}`))?.edits;
    if (edits === undefined) return 'I have looked at it: there is nothing to object to.\n\nSIGNAL:SUCCESS';
    const unseen = edits.flatMap(quotedBy).filter((text) => !prompt.includes(text));
    if (unseen.length > 0) return `I was not shown the file with ${JSON.stringify(unseen[0])}.\n\nSIGNAL:FAILURE`;
    return `\`\`\`json\n${JSON.stringify(edits)}\n\`\`\``;
  };

/** Returns a message for each prompt that is a retry of the same block. */
export const retriesIn = (prompts: readonly string[]): readonly string[] =>
  prompts
    .map((prompt) => /^block: (.*)\nvisit: (\d+)\nattempt: (\d+)$/m.exec(prompt))
    .filter((found) => found !== null && (found[2] !== '1' || found[3] !== '1'))
    .map((found) => `asked again: ${found?.[1] ?? ''}`);

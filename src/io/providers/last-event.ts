/**
 * Matches the start of the last event of a stream of chat completions, messages or responses. Gemini's streams have
 * none.
 */
const LAST = /[\r\n](?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))(?=[\r\n])/;

/** A number of characters that is larger than every match of `LAST`. */
const LONGEST = 48;

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/;

/**
 * Creates a function that takes a stream of server-sent events (HTML standard) chunk by chunk, and returns true once
 * the last event is complete.
 */
export function lastEventFinder(): (text: string) => boolean {
  let before = '\n';
  let hasBegun = false;
  return (text) => {
    let seen = before + text;
    const last = hasBegun ? null : LAST.exec(seen);
    hasBegun ||= last !== null;
    if (last !== null) seen = seen.slice(last.index + last[0].length);
    before = seen.slice(-LONGEST);
    return hasBegun && BLANK_LINE.test(seen);
  };
}

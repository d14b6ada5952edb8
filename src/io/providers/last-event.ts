/** What the last event of an answer begins with: of chat completions, messages and responses. Gemini's streams have none. */
const LAST = /[\r\n](?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|incomplete|failed)))(?=[\r\n])/;

/** Longer than any of them. */
const LONGEST = 48;

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/;

/** Is given the text of a stream of events, part by part; true: the last event has come, whole (HTML standard "Server-sent events"). */
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

import { RE2JS } from 're2js';
import { messageOf } from '#protocol/message-of.ts';

/** Characters of one pattern. */
const LONGEST = 10_000;

/** RE2 would read it as the letter k. */
const NAMED_REFERENCE = /(?<!\\)(?:\\\\)*\\k</;

function compile(pattern: string): RE2JS {
  if (pattern.length > LONGEST) throw new Error(`it has more than ${LONGEST} characters`);
  if (NAMED_REFERENCE.test(pattern)) throw new Error('it has a back reference');
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** What RE2 leaves out, where the pattern looks like it. */
const hintFor = (pattern: string): string =>
  /\(\?<?[=!]|\\[1-9k]/.test(pattern)
    ? ' (patterns match in linear time, and have no look-around and no back references)'
    : '';

/**
 * Makes regular expressions that match in time linear in the text, as RE2 does: a pattern can't stop the engine, whatever
 * text it meets. Throws for what RE2 leaves out: lookahead, lookbehind and back references.
 */
export function linearRegExp(pattern: string) {
  try {
    const expression = compile(pattern);
    return { test: (text: string): boolean => expression.matcher(text).find(), pattern };
  } catch (thrown) {
    const shown = JSON.stringify(pattern.slice(0, 200));
    throw new Error(`the pattern ${shown} can't be used: ${messageOf(thrown)}${hintFor(pattern)}`, { cause: thrown });
  }
}

/** What ajv writes into code that it generates to be stored; nothing here is stored. */
linearRegExp.code = 'linearRegExp';

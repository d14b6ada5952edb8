import { RE2JS } from 're2js';
import { messageOf } from '#protocol/message-of.ts';

/** The maximum length of a pattern in characters. */
const LONGEST = 10_000;

/** A named back reference, which RE2 would read as the letter k. */
const NAMED_REFERENCE = /(?<!\\)(?:\\\\)*\\k</;

function compile(pattern: string): RE2JS {
  if (pattern.length > LONGEST) throw new Error(`it has more than ${LONGEST} characters`);
  if (NAMED_REFERENCE.test(pattern)) throw new Error('it has a back reference');
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** Returns a hint if the pattern probably uses a feature that RE2 lacks. */
const hintFor = (pattern: string): string =>
  /\(\?<?[=!]|\\[1-9k]/.test(pattern)
    ? ' (look-around and back references are not supported, because patterns match in linear time)'
    : '';

/**
 * Creates regular expressions with RE2, whose matching time is linear in the text, so that a pattern can't block the
 * engine. Throws for features that RE2 lacks: lookahead, lookbehind and back references.
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

/** Ajv uses this property for generated code, which is not used here. */
linearRegExp.code = 'linearRegExp';

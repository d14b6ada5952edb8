import type { Key as NodeKey } from 'node:readline';

/** A pressed key, or a pasted text. `text` is set for a printable character and for a paste. */
export interface Key {
  readonly name: KeyName;
  readonly text: string;
}

const NAMED = [
  ...['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'escape', 'backspace', 'delete', 'tab'],
] as const;

type KeyName = (typeof NAMED)[number] | 'enter' | 'text' | 'paste' | `ctrl-${string}`;

const isNamed = (name: string): name is (typeof NAMED)[number] => NAMED.some((one) => one === name);

// eslint-disable-next-line no-control-regex -- a key that is a control character types no text
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

function keyOf(text: string | undefined, { name, ctrl, meta }: NodeKey): Key | null {
  if (ctrl === true && name !== undefined) return { name: `ctrl-${name}`, text: '' };
  if (name === 'return' || name === 'enter') return { name: 'enter', text: '' };
  if (name !== undefined && isNamed(name)) return { name, text: '' };
  if (text === undefined || text === '' || meta === true || CONTROL.test(text)) return null;
  return { name: 'text', text };
}

/** The longest paste; a terminal may paste megabytes. */
const LONGEST_PASTE = 100_000;

/**
 * Returns a function that turns the events of `readline.emitKeypressEvents` into keys; null for a key without a meaning.
 * A bracketed paste arrives as one key, so that pasted text never acts as a command.
 */
export function createKeyReader(): (text: string | undefined, key: NodeKey) => Key | null {
  let pasted: string | null = null;
  return (text, key) => {
    if (key.name === 'paste-start') {
      pasted = '';
      return null;
    }
    if (key.name === 'paste-end') {
      const whole = pasted ?? '';
      pasted = null;
      return { name: 'paste', text: whole };
    }
    if (pasted === null) return keyOf(text, key);
    if (pasted.length < LONGEST_PASTE) pasted += text ?? '';
    return null;
  };
}

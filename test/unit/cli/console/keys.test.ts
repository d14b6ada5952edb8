import { PassThrough } from 'node:stream';
import { emitKeypressEvents, type Key as NodeKey } from 'node:readline';
import { expect, test } from 'vitest';
import { editLine, EMPTY_LINE } from '#cli/console/edit-line.ts';
import { createKeyReader, type Key } from '#cli/console/keys.ts';

/** Returns the keys that the bytes from a terminal represent. */
function keysOf(bytes: string): readonly Key[] {
  const stream = new PassThrough();
  const read = createKeyReader();
  const keys: Key[] = [];
  emitKeypressEvents(stream);
  stream.on('keypress', (text: string | undefined, key: NodeKey) => {
    const pressed = read(text, key);
    if (pressed !== null) keys.push(pressed);
  });
  stream.emit('data', Buffer.from(bytes));
  return keys;
}

const named = (name: Key['name']): Key => ({ name, text: '' });
const typed = (text: string): Key => ({ name: 'text', text });

test('keys of a terminal', () => {
  expect(keysOf('a\u001b[A\u001bOB\r\u007f\u0003é日\u001b[6~\u001b[H\t')).toEqual([
    ...[typed('a'), named('up'), named('down'), named('enter'), named('backspace'), named('ctrl-c')],
    ...[typed('é'), typed('日'), named('pagedown'), named('home'), named('tab')],
  ]);
});

test('keys without a meaning type nothing', () => {
  expect(keysOf('\u001b[15~\u001bx\u0000')).toEqual([named('ctrl-`')]);
});

test('a paste is one key, whatever it contains', () => {
  expect(keysOf('\u001b[200~y\rq\u001b[Am\u001b[201~q')).toEqual([
    { name: 'paste', text: 'y\rqm' },
    { name: 'text', text: 'q' },
  ]);
});

test('a line is edited by characters, not by code units', () => {
  const press = (...keys: readonly Key[]) => keys.reduce(editLine, EMPTY_LINE);
  expect(press(typed('a'), typed('👩‍👩‍👧'), named('backspace'))).toEqual({ before: 'a', after: '' });
  expect(press(typed('a'), typed('é'), named('left'), named('left'), named('delete'))).toEqual({
    before: '',
    after: 'é',
  });
  expect(press(typed('one two'), named('ctrl-w'))).toEqual({ before: 'one ', after: '' });
  expect(press(typed('ab'), named('home'), typed('x'), named('end'), typed('y'))).toEqual({
    before: 'xaby',
    after: '',
  });
  expect(press(typed('ab'), named('left'), named('ctrl-k'), named('ctrl-u'))).toEqual(EMPTY_LINE);
  expect(press({ name: 'paste', text: 'a\nb\u001b[2Jc\u202e' })).toEqual({ before: 'a bc\ufffd', after: '' });
});

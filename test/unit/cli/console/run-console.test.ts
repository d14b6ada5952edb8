import { expect, test } from 'vitest';
import type { Item } from '#cli/console/item.ts';
import type { Key } from '#cli/console/keys.ts';
import type { Message } from '#cli/console/model.ts';
import { type ConsoleActions, runConsole } from '#cli/console/run-console.ts';
import type { TerminalListener } from '#cli/console/terminal.ts';
import { styleFor } from '#cli/print/style.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { halt, item, NOW, snapshot, typing, waiting } from './items.ts';

interface Shown {
  readonly log: readonly string[];
  readonly ended: Promise<void>;
  key(key: Key): void;
  type(keys: string): void;
  post(message: Message): void;
  end(): void;
  tick(): void;
  last(): string;
}

/** Runs the console on an in-memory terminal. */
function consoleWith(items: readonly Item[], more: Partial<ConsoleActions> = {}): Shown {
  const log: string[] = [];
  let listener: TerminalListener | null = null;
  let post: (message: Message) => void = () => undefined;
  let tick = (): void => undefined;
  let now = NOW;
  const ended = runConsole({
    project: 'shop',
    terminal: {
      hasKeys: true,
      size: () => ({ columns: 60, rows: 12 }),
      open: (given) => {
        listener = given;
        log.push('open');
      },
      write: (text) => void log.push(text),
      lend: async (work) => {
        log.push('lent');
        try {
          return await work();
        } finally {
          log.push('taken back');
        }
      },
      suspend: () => void log.push('suspended'),
      close: () => void log.push('close'),
    },
    clock: {
      now: () => now,
      every: (ms, work) => {
        tick = () => {
          now += ms;
          work();
        };
        return () => void log.push('clock stopped');
      },
    },
    style: styleFor(fakeIo().stdout, fakeIo()),
    source: {
      start: (given) => {
        post = given;
        post({ kind: 'read', snapshot: snapshot(...items) });
      },
      refresh: () => void log.push('refresh'),
      stop: () => void log.push('source stopped'),
    },
    actions: {
      act: () => Promise.resolve('done'),
      diff: () => Promise.resolve(null),
      blocks: () => [],
      shell: () => Promise.resolve(''),
      ...more,
    },
  });
  return {
    log,
    ended,
    key: (key) => listener?.key(key),
    type: (keys) => {
      for (const message of typing(keys)) if (message.kind === 'key') listener?.key(message.key);
    },
    post: (message) => post(message),
    end: () => listener?.ended(),
    tick: () => tick(),
    last: () => log.findLast((one) => one.startsWith('\u001b')) ?? '',
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('q gives the terminal back, and stops what was started', async () => {
  const shown = consoleWith([item('s1')]);
  shown.type('q');
  await shown.ended;
  expect(shown.log.filter((one) => one !== '' && !one.startsWith('\u001b'))).toEqual([
    'open',
    'clock stopped',
    'source stopped',
    'close',
  ]);
});

test('a signal ends it in the same way', async () => {
  const shown = consoleWith([item('s1')]);
  shown.end();
  await shown.ended;
  expect(shown.log.at(-1)).toBe('close');
});

test('a bug in the source ends it with the error, and the terminal is given back', async () => {
  const shown = consoleWith([item('s1')]);
  shown.post({ kind: 'read', snapshot: null as never });
  await expect(shown.ended).rejects.toThrow(TypeError);
  expect(shown.log.at(-1)).toBe('close');
});

test('a refusal is shown with its next step, and the project is read again', async () => {
  const next = ['robosmith sessions update s1'];
  const act = () => Promise.reject(new RoboSmithError('refused', 'It conflicts in a.txt.', { next }));
  const shown = consoleWith([item('s1', { state: 'ready', group: 'waiting' })], { act });
  shown.type('my');
  expect(shown.last()).toContain('merging');
  await turn();
  expect(shown.log.at(-1)).toBe('refresh');
  expect(shown.last()).toContain('✗ It conflicts in a.txt.');
  expect(shown.last()).toContain('robosmith sessions update s1');
  shown.end();
  await shown.ended;
});

test('a shell gets the terminal, and the whole screen is drawn after it', async () => {
  const shown = consoleWith([item('s1')], { shell: () => Promise.resolve('The shell ended with 3.') });
  shown.type('s');
  await turn();
  const after = shown.log.slice(shown.log.indexOf('taken back'));
  expect(shown.log).toContain('lent');
  expect(after.some((text) => text.includes('\u001b[1;1Hshop'))).toBe(true);
  expect(shown.last()).toContain('The shell ended with 3.');
  shown.end();
  await shown.ended;
});

test('an answer is passed on with its text', async () => {
  const acted: unknown[] = [];
  const act: ConsoleActions['act'] = (action) => {
    acted.push(action);
    return Promise.resolve('Answered.');
  };
  const one = halt('h1');
  const shown = consoleWith([waiting('s1', [one])], { act });
  shown.type('phurry<enter>');
  await turn();
  expect(acted).toEqual([{ kind: 'answer', halt: one, answer: { verb: 'proceed', guidance: 'hurry' } }]);
  expect(shown.last()).toContain('✓ Answered.');
  shown.end();
  await shown.ended;
});

test('a tick writes only what has changed', async () => {
  const shown = consoleWith([item('s1')]);
  const before = shown.log.length;
  shown.tick();
  expect(shown.log.slice(before)).toEqual(['']);
  shown.key({ name: 'ctrl-l', text: '' });
  expect(shown.last()).toContain('\u001b[1;1Hshop');
  shown.end();
  await shown.ended;
});

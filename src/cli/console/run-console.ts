import { messageOf } from '#protocol/message-of.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { PatchLine } from '../print/patch.ts';
import type { Style } from '../print/style.ts';
import { frameText } from './frame-text.ts';
import type { Item } from './item.ts';
import { type Action, type Effect, firstModel, type Message, type Model } from './model.ts';
import type { ConsoleClock, ConsoleTerminal } from './terminal.ts';
import { update } from './update.ts';
import { type Frame, view } from './view.ts';

/**
 * The actions that a person can start in the console. `act` resolves to a sentence about the result. A refused action
 * throws a RoboSmithError.
 */
export interface ConsoleActions {
  act(action: Action, title: string): Promise<string>;
  /** Returns the diff of an item; null if it has no changes. */
  diff(item: Item): Promise<{ readonly title: string; readonly lines: readonly PatchLine[] } | null>;
  /** Returns the blocks that a jump from a halt may go to. */
  blocks(halt: WaitingHalt): readonly string[];
  /** Runs a shell in the directory of an item, on the terminal. Returns a message; empty if there is nothing to say. */
  shell(item: Item): Promise<string>;
}

/** The source of the project's state, which is read at intervals. */
export interface ConsoleSource {
  start(post: (message: Message) => void): void;
  /** Reads the state again at once. */
  refresh(): void;
  stop(): void;
}

interface ConsoleParts {
  readonly project: string;
  readonly terminal: ConsoleTerminal;
  readonly clock: ConsoleClock;
  readonly style: Style;
  readonly source: ConsoleSource;
  readonly actions: ConsoleActions;
}

/** The interval in milliseconds at which displayed ages are updated. */
const TICK_MS = 500;

function refusalOf(item: string, thrown: unknown): Message {
  const next = RoboSmithError.is(thrown) ? thrown.data['next'] : undefined;
  const commands = Array.isArray(next) ? next.filter((one): one is string => typeof one === 'string') : [];
  return { kind: 'refused', item, why: messageOf(thrown), next: commands };
}

/** Returns a function that executes effects and posts their results as messages. */
function performing({ terminal, source, actions }: ConsoleParts, post: (message: Message) => void, quit: () => void) {
  const report = (item: string, work: Promise<Message>): void => {
    void work
      .catch((thrown: unknown) => refusalOf(item, thrown))
      .then((message) => {
        post(message);
        source.refresh();
      });
  };
  const diff = async (item: Item): Promise<Message> => {
    const found = await actions.diff(item);
    if (found === null) return { kind: 'done', item: item.key, text: `${item.title} has no changes.` };
    return { kind: 'diff', item: item.key, ...found };
  };
  const shell = async (item: Item): Promise<Message> => {
    const text = await terminal.lend(() => actions.shell(item));
    post({ kind: 'resized', size: terminal.size() });
    return { kind: 'done', item: item.key, text };
  };
  const done = async (item: string, work: Promise<string>): Promise<Message> => ({
    kind: 'done',
    item,
    text: await work,
  });
  return (effect: Effect): void => {
    switch (effect.kind) {
      case 'act': {
        const { item, title, action } = effect.intended;
        return report(item, done(item, actions.act(action, title)));
      }
      case 'diff':
        return report(effect.item.key, diff(effect.item));
      case 'shell':
        return report(effect.item.key, shell(effect.item));
      case 'blocks': {
        const { item, halt } = effect;
        return report(
          item,
          // An error is reported like the refusal of any other action.
          Promise.resolve(halt).then((asked): Message => ({
            kind: 'blocks',
            item,
            halt,
            blocks: actions.blocks(asked),
          })),
        );
      }
      case 'suspend':
        return terminal.suspend();
      case 'quit':
        return quit();
      case 'redraw':
        return;
    }
  };
}

/** Shows the console until the person quits. Resolves once the terminal is released. */
export async function runConsole(parts: ConsoleParts): Promise<void> {
  const { terminal, clock, style, source, project } = parts;
  const ended = Promise.withResolvers<undefined>();
  let model: Model = firstModel(terminal.size(), clock.now(), { project, hasKeys: terminal.hasKeys });
  let shown: Frame | null = null;
  const draw = (): void => {
    const next = view(model, style);
    terminal.write(frameText(shown, next));
    shown = next;
  };
  const post = (message: Message): void => {
    try {
      const [next, effects] = update(model, message);
      model = next;
      if (effects.some(({ kind }) => kind === 'redraw')) shown = null;
      for (const effect of effects) perform(effect);
      draw();
    } catch (thrown) {
      ended.reject(thrown);
    }
  };
  const perform = performing(parts, post, () => ended.resolve(undefined));
  terminal.open({
    key: (key) => post({ kind: 'key', key }),
    resized: () => post({ kind: 'resized', size: terminal.size() }),
    continued: () => post({ kind: 'resized', size: terminal.size() }),
    ended: () => ended.resolve(undefined),
  });
  const stopTicking = clock.every(TICK_MS, () => post({ kind: 'ticked', now: clock.now() }));
  try {
    draw();
    source.start(post);
    await ended.promise;
  } finally {
    stopTicking();
    source.stop();
    terminal.close();
  }
}

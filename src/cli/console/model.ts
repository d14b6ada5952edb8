import type { RunId, SessionId } from '#protocol/id.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import type { Answer } from '#protocol/response.ts';
import type { PatchLine } from '../print/patch.ts';
import type { Item, Snapshot } from './item.ts';
import type { Key } from './keys.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A request to the project. Each goes through the same code as the command of that name. */
export type Action =
  | { readonly kind: 'answer'; readonly halt: WaitingHalt; readonly answer: Answer }
  | { readonly kind: 'merge'; readonly session: SessionId }
  | { readonly kind: 'hold'; readonly session: SessionId }
  | { readonly kind: 'resume'; readonly session: SessionId }
  | { readonly kind: 'resumeRun'; readonly run: RunId };

/** An action that a person is about to confirm, for the item that it belongs to. */
export interface IntendedAction {
  readonly item: string;
  readonly title: string;
  readonly action: Action;
}

/** Something that a person can choose in a menu. */
export type Choice =
  | { readonly kind: 'diff' }
  | { readonly kind: 'shell' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'answer'; readonly halt: WaitingHalt; readonly verb: Answer['verb'] }
  | { readonly kind: 'jump'; readonly halt: WaitingHalt; readonly block: string };

export interface Option {
  readonly label: string;
  /** The key that does the same in the list; empty if there is none. */
  readonly key: string;
  readonly choice: Choice;
}

/** A line of text that is being typed; the cursor is between the two parts. */
export interface Line {
  readonly before: string;
  readonly after: string;
}

/**
 * The part of the console that handles keys. The item of an open dialog stays the same, even if the list changes
 * meanwhile.
 */
export type Mode =
  | { readonly kind: 'list' }
  | { readonly kind: 'help'; readonly top: number }
  | {
      readonly kind: 'menu';
      readonly item: string;
      readonly title: string;
      readonly options: readonly Option[];
      readonly at: number;
      /** Only options that contain this text are listed. */
      readonly filter: string;
    }
  | {
      readonly kind: 'input';
      readonly item: string;
      readonly title: string;
      readonly halt: WaitingHalt;
      readonly verb: Exclude<Answer['verb'], 'abort'>;
      /** The block of a jump; empty for other verbs. */
      readonly block: string;
      readonly line: Line;
      /** Why the text was not accepted; empty if no text was rejected. */
      readonly fault: string;
    }
  | { readonly kind: 'confirm'; readonly question: string; readonly intended: IntendedAction }
  | { readonly kind: 'pager'; readonly title: string; readonly lines: readonly PatchLine[]; readonly top: number };

/** The result of the last action, displayed until the next one. */
export interface ConsoleNotice {
  readonly isBad: boolean;
  readonly text: string;
  /** Commands to type next. */
  readonly next: readonly string[];
}

export interface Model {
  readonly size: Size;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly project: string;
  /** True if keys can be read. */
  readonly hasKeys: boolean;
  /** Null until the project was read for the first time. */
  readonly snapshot: Snapshot | null;
  /** Why the project can't be read now; null if it can. */
  readonly trouble: string | null;
  /**
   * The key of the selected item, and its index in the list, from which another item is selected if this one
   * disappears.
   */
  readonly selected: { readonly key: string; readonly at: number } | null;
  readonly mode: Mode;
  /** The action in progress of each busy item. */
  readonly busy: ReadonlyMap<string, string>;
  readonly notice: ConsoleNotice | null;
}

/** An event outside of the model, such as a pressed key. */
export type Message =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly size: Size }
  | { readonly kind: 'ticked'; readonly now: number }
  | { readonly kind: 'read'; readonly snapshot: Snapshot }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'done'; readonly item: string; readonly text: string }
  | { readonly kind: 'refused'; readonly item: string; readonly why: string; readonly next: readonly string[] }
  | { readonly kind: 'diff'; readonly item: string; readonly title: string; readonly lines: readonly PatchLine[] }
  | { readonly kind: 'blocks'; readonly item: string; readonly halt: WaitingHalt; readonly blocks: readonly string[] };

/** A side effect that the program has to execute. */
export type Effect =
  | { readonly kind: 'act'; readonly intended: IntendedAction }
  | { readonly kind: 'diff'; readonly item: Item }
  | { readonly kind: 'shell'; readonly item: Item }
  /** Reads the blocks that a jump may go to. */
  | { readonly kind: 'blocks'; readonly item: string; readonly halt: WaitingHalt }
  | { readonly kind: 'redraw' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'quit' };

/** The next state, and the side effects to execute. */
export type NextModel = readonly [model: Model, effects: readonly Effect[]];

export const firstModel = (
  size: Size,
  now: number,
  { project, hasKeys }: Pick<Model, 'project' | 'hasKeys'>,
): Model => ({
  size,
  now,
  project,
  hasKeys,
  snapshot: null,
  trouble: null,
  selected: null,
  mode: { kind: 'list' },
  busy: new Map(),
  notice: null,
});

export const itemsOf = ({ snapshot }: Model): readonly Item[] => snapshot?.items ?? [];

export const itemOf = (model: Model, key: string): Item | null => itemsOf(model).find((one) => one.key === key) ?? null;

/** Returns the selected item; null if the list is empty. */
export const selectedItem = (model: Model): Item | null =>
  model.selected === null ? null : itemOf(model, model.selected.key);

import type { GraphControl } from './graph/graph-control.svelte.ts';
import type { ViewModel } from './model/view-model.svelte.ts';

export interface KeyboardActions {
  find(): void;
  /** Closes the find box and the inbox. Returns false if neither was open. */
  closeFind(): boolean;
  nextHalt(): void;
  focusGraph(): void;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** Handles keyboard shortcuts everywhere in Mission Control except in text fields. */
export class Keyboard {
  readonly #model: ViewModel;
  readonly #control: GraphControl;
  readonly #actions: KeyboardActions;
  readonly #keys: Readonly<Record<string, () => void>>;

  constructor(model: ViewModel, control: GraphControl, actions: KeyboardActions) {
    this.#model = model;
    this.#control = control;
    this.#actions = actions;
    this.#keys = {
      '/': () => actions.find(),
      '[': () => this.#step(-1),
      ']': () => this.#step(1),
      '+': () => control.zoom(1),
      '=': () => control.zoom(1),
      '-': () => control.zoom(-1),
      '0': () => {
        control.takeOver();
        control.fit();
      },
      l: () => control.follow(),
      h: () => actions.nextHalt(),
      g: () => this.#goToDefinition(),
      c: () => (control.showsCalls = !control.showsCalls),
      End: () => model.goLive(),
    };
  }

  press(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    if (event.key === 'Escape') this.#back();
    else if (this.#controlRun(event)) event.preventDefault();
    else if (!isText(event.target) && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const action = this.#keys[event.key] ?? this.#keys[event.key.toLowerCase()];
      if (action === undefined) return;
      event.preventDefault();
      action();
    }
  }

  /**
   * Handles the shortcuts of the run controls, which work in text fields as well. Returns true if the event was
   * handled.
   */
  #controlRun(event: KeyboardEvent): boolean {
    const { controls, run } = this.#model;
    if (run === null) return false;
    const order = { run: run.run };
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key === 'F10' && isPlain) {
      if (controls.step === null) this.#model.step();
    } else if (event.key === 'F6' && isPlain) {
      if (controls.pause === null) this.#model.send('pause', order);
      else if (controls.resume === null) this.#model.send('resume', order);
    } else if (event.key === 'F5' && event.shiftKey) {
      if (controls.stop === null) this.#model.send('stop', order);
    } else return false;
    return true;
  }

  #back(): void {
    if (this.#actions.closeFind()) return;
    if (!this.#model.isLive) this.#model.goLive();
    else {
      this.#control.lane = null;
      this.#model.select(null);
      this.#actions.focusGraph();
    }
  }

  #step(by: 1 | -1): void {
    const { pastStep, lastStep } = this.#model;
    const from = pastStep ?? lastStep + 1;
    const to = from + by;
    if (to > lastStep) this.#model.goLive();
    else this.#model.goTo(Math.max(1, to));
  }

  #goToDefinition(): void {
    const source = this.#control.lane?.info.source ?? this.#model.selected?.info.source ?? null;
    if (source !== null) this.#model.send('openSource', { source });
  }
}

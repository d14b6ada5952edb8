import type { Draft } from '#protocol/generated/view.gen.ts';
import type { Host } from '../connection/host.ts';

/** The texts that the user has written and not sent yet. The host stores them and shares them between views. */
export class Drafts {
  readonly #host: Host;
  /** The keys of texts that this view has changed since it was loaded. */
  readonly #own = new Set<string>();
  #texts = $state.raw<ReadonlyMap<string, string>>(new Map());

  constructor(host: Host) {
    this.#host = host;
  }

  text(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }

  write(key: string, text: string): void {
    this.#own.add(key);
    this.#texts = new Map([...this.#texts, [key, text]]);
    this.#host.send('draft', { key, text });
  }

  /** Takes the texts of another view. */
  take(drafts: readonly Draft[]): void {
    for (const { key } of drafts) this.#own.delete(key);
    const texts = new Map([...this.#texts, ...drafts.map(({ key, text }) => [key, text] as const)]);
    for (const { key, text } of drafts) if (text === '') texts.delete(key);
    this.#texts = texts;
  }

  /** Takes all texts of the host. Texts that were written while the host could not be reached are sent to it again. */
  replace(drafts: readonly Draft[]): void {
    const stored = new Map(drafts.map(({ key, text }) => [key, text]));
    for (const key of this.#own) {
      const text = this.#texts.get(key) ?? '';
      if (text === (stored.get(key) ?? '')) continue;
      stored.set(key, text);
      this.#host.send('draft', { key, text });
    }
    this.#texts = stored;
  }
}

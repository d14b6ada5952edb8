import type * as Parts from './more.ts';

export type MoreParts = typeof Parts;

/** Time in milliseconds after which the script is loaded, even if the page has not been idle. */
const LATEST_MS = 2000;

/** Loads the second script of the view, which contains components that are not needed at first. */
class MoreScript {
  /** The components of the script; null until it is loaded. */
  parts = $state.raw<MoreParts | null>(null);
  hasFailed = $state.raw(false);
  #loading: Promise<void> | null = null;

  /** Loads the script once. Never rejects. */
  load(): Promise<void> {
    this.#loading ??= import('./more.ts').then(
      (parts) => {
        this.parts = parts;
      },
      () => {
        this.hasFailed = true;
      },
    );
    return this.#loading;
  }

  /**
   * Loads the script when the page is idle, so that its components are available even if the page later loses its
   * server.
   */
  loadWhenIdle(): void {
    requestIdleCallback(() => void this.load(), { timeout: LATEST_MS });
  }
}

export const more = new MoreScript();

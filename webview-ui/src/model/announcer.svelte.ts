import type { BlockState, HaltView } from '#protocol/generated/view.gen.ts';
import { visibleName } from '../look/visible-text.ts';
import type { WorkflowModel } from './workflow-model.svelte.ts';

const PAUSE_MS = 2000;
/** Maximum number of changes that one announcement lists. For more, only their number is announced. */
const LISTED = 3;

const WORD: Partial<Readonly<Record<BlockState['status'], string>>> = {
  active: 'running',
  complete: 'complete',
  failed: 'failed',
};

/** Announcements for screen readers: at most one every two seconds, but halts are announced immediately. */
export class Announcer {
  polite = $state.raw('');
  urgent = $state.raw('');
  readonly #news = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  hear(states: readonly BlockState[], workflow: WorkflowModel | null): void {
    for (const { block, status } of states) {
      const known = workflow?.blocks.get(block);
      const word = WORD[status];
      if (known === undefined || word === undefined || known.status === status) continue;
      this.#news.delete(block);
      this.#news.set(block, `${visibleName(known.info.name)} ${word}.`);
    }
    if (this.#news.size > 0 && this.#timer === undefined) this.#say();
  }

  #say(): void {
    const sentences = [...this.#news.values()];
    this.#news.clear();
    const more = sentences.length - LISTED;
    const said = sentences.slice(-LISTED).join(' ');
    if (sentences.length > 0) this.polite = more > 0 ? `${more} more changes. ${said}` : said;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#news.size > 0) this.#say();
    }, PAUSE_MS);
  }

  alarm(halts: readonly HaltView[], before: readonly HaltView[], workflow: WorkflowModel | null): void {
    const known = new Set(before.map(({ halt }) => halt));
    const fresh = halts.filter(({ halt }) => !known.has(halt));
    if (fresh.length === 0) return;
    this.urgent = fresh
      .map(
        ({ block, message }) =>
          `${visibleName(workflow?.blocks.get(block)?.info.name ?? block)}: action required. ${visibleName(message)}`,
      )
      .join(' ');
  }
}

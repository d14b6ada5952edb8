import type { BlockContext, BlockFacts, Conversation, HostToView } from '#protocol/generated/view.gen.ts';
import type { Host } from '../connection/host.ts';
import { Shown } from './shown.svelte.ts';
import type { BlockModel } from './workflow-model.svelte.ts';

export type Tab = 'block' | 'chat' | 'context';

/** Messages from the host about the selected block. */
type InspectedMessage = Extract<HostToView, { command: 'block' | 'conversation' | 'context' | 'text' | 'stream' }>;

/** The selected block and the data that the host has sent about it. */
export class Inspection extends Shown {
  readonly host: Host;
  selected = $state.raw<BlockModel | null>(null);
  /** Number of the visit that the inspector shows; null for the newest. */
  visit = $state.raw<number | null>(null);
  tab = $state.raw<Tab>('block');
  facts = $state.raw<BlockFacts | null>(null);
  conversation = $state.raw<Conversation | null>(null);
  context = $state.raw<BlockContext | null>(null);
  /** Complete texts, by id. They were requested because the host had sent shortened ones. */
  texts = $state.raw<ReadonlyMap<string, string>>(new Map());

  constructor(host: Host) {
    super();
    this.host = host;
  }

  /** Drops the data of the previously selected block or run. */
  protected forget(): void {
    this.facts = null;
    this.conversation = null;
    this.context = null;
  }

  /**
   * Stores data about the selected block. Ignores data about any other block, because the selection has changed since
   * the request.
   */
  protected inspect({ command, payload }: InspectedMessage): void {
    if (command === 'text') {
      this.texts = new Map([...this.texts, [payload.id, payload.text]]);
      return;
    }
    if (payload.block !== this.selected?.id) return;
    if (command === 'block') this.facts = payload;
    else if (command === 'conversation') this.conversation = payload;
    else if (command === 'context') this.context = payload;
    else this.#stream(payload);
  }

  #stream(piece: Extract<HostToView, { command: 'stream' }>['payload']): void {
    if (piece.run !== this.run?.run) return;
    // The view does not know yet that an answer is written, or it is written from its beginning again.
    if (piece.offset === 0) return this.refreshInspector();
    const { facts, conversation } = this;
    if (facts?.visit === piece.visit && facts.streaming) {
      const text = facts.answer?.text ?? '';
      if (text.length === piece.offset) this.facts = { ...facts, answer: { text: text + piece.text, more: null } };
      else if (text.length < piece.offset) this.refreshInspector();
    }
    const last = conversation?.turns.at(-1);
    if (conversation === null || last === undefined || !last.streaming || last.visit !== piece.visit) return;
    const { text } = last.text;
    if (text.length < piece.offset) this.refreshInspector();
    if (text.length !== piece.offset) return;
    const grown = { ...last, text: { text: text + piece.text, more: null } };
    this.conversation = { ...conversation, turns: [...conversation.turns.slice(0, -1), grown] };
  }

  select(block: BlockModel | null, visit: number | null = null): void {
    if (this.selected === block && this.visit === visit) return;
    if (this.selected !== block) this.forget();
    this.selected = block;
    this.visit = visit;
    this.host.send('select', { run: this.run?.run ?? null, block: block?.id ?? null, visit });
    this.refreshInspector();
  }

  /** Applies a selection that the user made in another view of the same window. */
  selectElsewhere(id: string | null, visit: number | null): void {
    const block = id === null ? null : (this.workflow?.blocks.get(id) ?? null);
    if (block !== this.selected) this.forget();
    this.selected = block;
    this.visit = visit;
    this.refreshInspector();
  }

  /** Requests the data that the inspector's open tab shows. */
  refreshInspector(): void {
    const { selected, run, visit } = this;
    if (selected === null) return;
    const place = { block: selected.id, visit };
    this.host.send('requestBlock', { run: run?.run ?? null, ...place });
    if (run === null) return;
    if (this.tab === 'chat') this.host.send('requestConversation', { run: run.run, ...place });
    if (this.tab === 'context') this.host.send('requestContext', { run: run.run, ...place });
  }

  showTab(tab: Tab): void {
    this.tab = tab;
    this.refreshInspector();
  }
}

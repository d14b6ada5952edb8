import type { Range } from '../text/place.ts';

/** A completion item at the cursor. */
export interface Completion {
  readonly label: string;
  /** Decides which icon the editor shows. */
  readonly kind: 'node' | 'block' | 'worker' | 'value' | 'key' | 'action' | 'signal' | 'condition' | 'file' | 'memory';
  readonly detail: string;
  readonly documentation: string;
  readonly range: Range;
  readonly newText: string;
  /** The text that the editor compares with what is written in `range`. */
  readonly filterText: string;
  /** True if `newText` is a snippet with the placeholders `$1` and `$0`. */
  readonly isSnippet: boolean;
  /** True if the editor should offer completions again after this one is inserted, such as the blocks after `JUMP:`. */
  readonly continues: boolean;
}

/** A completion item whose range is not known yet. */
export interface Offer extends Pick<Completion, 'kind' | 'detail'> {
  readonly text: string;
  readonly documentation?: string;
  readonly continues?: boolean;
}

import type { Range } from '../text/place.ts';

/** One proposal at a cursor. */
export interface Completion {
  readonly label: string;
  /** What the editor shows as a picture beside it. */
  readonly kind: 'node' | 'block' | 'worker' | 'value' | 'key' | 'action' | 'signal' | 'condition' | 'file' | 'memory';
  readonly detail: string;
  readonly documentation: string;
  readonly range: Range;
  readonly newText: string;
  /** `newText` has `$1` and `$0` for the cursor. */
  readonly isSnippet: boolean;
  /** Further proposals follow at once, such as the blocks after `JUMP:`. */
  readonly continues: boolean;
}

/** A proposal before it is known which text it replaces. */
export interface Offer extends Pick<Completion, 'kind' | 'detail'> {
  readonly text: string;
  readonly documentation?: string;
  readonly continues?: boolean;
}

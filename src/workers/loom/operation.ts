interface OfFile {
  readonly path: string;
}

/**
 * An edit of a file. Line breaks in its texts are `\n`; they are converted to the file's own line endings when the file
 * is written.
 */
export type Operation =
  | (OfFile & {
      readonly op: 'insert';
      readonly anchor: string;
      readonly content: string;
      readonly position: 'before' | 'after';
    })
  /**
   * Replaces the text between two markers, which are kept. An empty `start` stands for the beginning of the file, an
   * empty `end` for its end.
   */
  | (OfFile & { readonly op: 'replaceBlock'; readonly start: string; readonly end: string; readonly content: string })
  | (OfFile & { readonly op: 'append'; readonly content: string })
  /** Replaces one line. Lines are numbered from 1, as they are in the file before the list is applied. */
  | (OfFile & {
      readonly op: 'replaceLine';
      readonly line: number;
      readonly content: string;
      readonly expected: string | null;
    });

/** An operation with its position in the list, from 1. */
export type NumberedOperation<Of extends Operation = Operation> = Of & { readonly number: number };
export type OperationOf<Op extends Operation['op']> = Extract<Operation, { readonly op: Op }>;

interface OfFile {
  readonly path: string;
}

/** Texts have `\n` between lines; the file's own line endings are put in when they are written. */
export type Operation =
  | (OfFile & {
      readonly op: 'insert';
      readonly anchor: string;
      readonly content: string;
      readonly position: 'before' | 'after';
    })
  /** Replaces what is between the markers; they stay. */
  | (OfFile & { readonly op: 'replaceBlock'; readonly start: string; readonly end: string; readonly content: string })
  | (OfFile & { readonly op: 'append'; readonly content: string })
  /** Lines count from 1, as the file is before the list is applied. */
  | (OfFile & {
      readonly op: 'replaceLine';
      readonly line: number;
      readonly content: string;
      readonly expected: string | null;
    });

/** One of a list, with its number in it, from 1. */
export type Numbered<Of extends Operation = Operation> = Of & { readonly number: number };
export type Of<Op extends Operation['op']> = Extract<Operation, { readonly op: Op }>;

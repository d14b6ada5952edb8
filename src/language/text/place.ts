/** A position in a text; line and character count from 0, in UTF-16 units, as in the Language Server Protocol. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A range of a manifest file. `file` is the path relative to the project, with `/`. */
export interface Location {
  readonly file: string;
  readonly range: Range;
}

/** The replacement of a range by another text. */
export interface TextEdit extends Location {
  readonly newText: string;
}

/** Offsets of a text, the second one exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

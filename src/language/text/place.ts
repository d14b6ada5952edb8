/** A text position. Line and character count from 0, in UTF-16 units, as in the Language Server Protocol. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A range in a manifest file. `file` is relative to the project's root and uses `/`. */
export interface Location {
  readonly file: string;
  readonly range: Range;
}

/** An edit that replaces a range of a manifest file by new text. */
export interface TextEdit extends Location {
  readonly newText: string;
}

/** A range of UTF-16 offsets in a text; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

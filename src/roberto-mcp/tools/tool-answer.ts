/** An answer as structured `data` for programs and as compact `text` for people and models. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Files whose content the answer shows. They are compared with the disk again before the answer is sent. */
  readonly paths: readonly string[];
}

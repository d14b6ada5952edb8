/** Something that waits for a person, for whoever looks elsewhere. */
export interface Notice {
  /** One line: what waits. */
  readonly title: string;
  /** Why. */
  readonly text: string;
  /** That answers it, or shows it. */
  readonly command: string;
  /** Folder of the project, absolute. */
  readonly project: string;
  readonly run: string | null;
  readonly session: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Where a user wants notices; nothing by default. */
export interface NoticeSettings {
  readonly desktop: boolean;
  /** Gets each notice as JSON; null: none does. */
  readonly webhook: string | null;
}

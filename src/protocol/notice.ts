/** A notice to the user that something waits. */
export interface Notice {
  /** One line that names what waits. */
  readonly title: string;
  /** The reason. */
  readonly text: string;
  /** The command that answers or shows it. */
  readonly command: string;
  /** The project's folder, absolute. */
  readonly project: string;
  readonly run: string | null;
  readonly session: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Where a user wants notices; none by default. */
export interface NoticeSettings {
  readonly desktop: boolean;
  /** The URL that receives each notice as JSON; null: none. */
  readonly webhook: string | null;
}

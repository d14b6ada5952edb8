/** A notification that something waits for the user. */
export interface Notice {
  /** One line that names the run or session that waits. */
  readonly title: string;
  /** The reason. */
  readonly text: string;
  /** The command that answers or shows the waiting item. */
  readonly command: string;
  /** The project's folder, absolute. */
  readonly project: string;
  readonly run: string | null;
  readonly session: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Where notifications are sent; nowhere by default. */
export interface NoticeSettings {
  readonly desktop: boolean;
  /** The URL that receives each notification as JSON; null for none. */
  readonly webhook: string | null;
}

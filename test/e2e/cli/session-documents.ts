import type { RunSummary } from '#protocol/run-summary.ts';
import type { SessionView } from '#protocol/session.ts';

/** The status of a project as `--json` prints it (schemas/response.schema.json). */
export interface ProjectStatus {
  readonly engine: { readonly kind: string; readonly pid: number } | null;
  readonly waiting: number;
  readonly sessions: readonly (SessionView & {
    readonly run: RunSummary | null;
    readonly attempt: number | null;
    readonly health: { readonly colour: string; readonly reason: string };
  })[];
  readonly runs: readonly RunSummary[];
  readonly findings: number | null;
  readonly disk: {
    readonly worktrees: readonly { readonly session: string; readonly size: { readonly bytes: number } | null }[];
  } | null;
}

export interface CleaningItem {
  readonly what: string;
  readonly name: string;
  readonly message: string;
}

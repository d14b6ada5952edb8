import type { PathEntry, Response } from '#protocol/response.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';

/** A run as `--json` lists it (schemas/response.schema.json). */
export type RunListing =
  | { readonly kind: 'run'; readonly run: string; readonly summary: RunSummary; readonly size: number }
  | {
      readonly kind: 'damaged';
      readonly run: string;
      readonly line: number;
      readonly why: string;
      readonly steps: number;
    };

export interface RunStory {
  readonly summary: RunSummary;
  readonly path: readonly PathEntry[];
  readonly response: Response | null;
}

export interface Inbox {
  readonly waiting: readonly (OpenHalt & { readonly run: string; readonly answers: readonly string[] })[];
}

export interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly next: readonly string[] };
}

export const responseOf = (out: string): Response => JSON.parse(out) as Response;

/** Returns the status of a run, or the kind of the listing (such as `damaged`) if it has no status. */
export function statusOf(listing: RunListing | undefined): string {
  return listing?.kind === 'run' ? listing.summary.status : (listing?.kind ?? 'none');
}

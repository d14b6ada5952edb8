import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { withoutStackFrames } from './event-lines.ts';
import { harmless, styleFor } from './style.ts';

const EXCERPT = 14;

interface Failed {
  readonly summary: string;
  readonly log: string;
}

const isFailed = (value: unknown): value is Failed =>
  typeof value === 'object' && value !== null && 'summary' in value && 'log' in value && typeof value.log === 'string';

const isKept = (value: unknown): value is { readonly blob: string } =>
  typeof value === 'object' && value !== null && 'blob' in value && typeof value.blob === 'string';

/** Returns the logs to show: each failed piece of evidence, or the output of a worker that reached its time limit. */
function logsOf({ reason, details }: Response): readonly Failed[] {
  const { evidence, output, log } = details;
  if (reason === 'evidence_failed' && Array.isArray(evidence)) return evidence.filter(isFailed);
  if (reason !== 'timeout' || typeof output !== 'string' || output.trim() === '') return [];
  const whole = isKept(log) ? `, all of it is in .flow/blobs/${log.blob}` : '';
  return [{ summary: `its last output${whole}:`, log: output }];
}

/** Prints a summary and the end of each log. */
export function printLogs(response: Response, io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  for (const { summary, log } of logsOf(response)) {
    io.stderr.write(`${paint.dim(`  ${harmless(summary)}`)}\n`);
    for (const line of withoutStackFrames(harmless(log)).slice(-EXCERPT))
      io.stderr.write(`${paint.dim('  |')} ${line}\n`);
  }
}

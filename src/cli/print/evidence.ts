import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import { tellingLines } from './telling-lines.ts';
import { harmless, styleFor } from './style.ts';

const EXCERPT = 14;

interface Failed {
  readonly summary: string;
  readonly log: string;
}

const isFailed = (value: unknown): value is Failed =>
  typeof value === 'object' && value !== null && 'summary' in value && 'log' in value && typeof value.log === 'string';

/** Of `evidence_failed`: what each piece came to, and the end of its log. */
export function printEvidence({ reason, details }: Response, io: CliIo): void {
  const { evidence } = details;
  if (reason !== 'evidence_failed' || !Array.isArray(evidence)) return;
  const { paint } = styleFor(io.stderr, io);
  for (const { summary, log } of evidence.filter(isFailed)) {
    io.stderr.write(`${paint.dim(`  ${harmless(summary)}`)}\n`);
    for (const line of tellingLines(harmless(log)).slice(-EXCERPT)) io.stderr.write(`${paint.dim('  |')} ${line}\n`);
  }
}

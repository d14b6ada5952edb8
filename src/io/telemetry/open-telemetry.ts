import { newId } from '../clock/identity.ts';
import type { EventListener } from '#protocol/event.ts';
import { messageOf } from '#protocol/message-of.ts';
import { createRunSpans, type LostBeginning } from './run-spans.ts';
import { readTelemetrySettings } from './telemetry-settings.ts';

export interface Telemetry {
  readonly listener: EventListener;
  /** Exports the root span of a run whose start was lost in a crash; does nothing for null. */
  makeUpFor(lost: LostBeginning | null): void;
  /**
   * Sends the remaining spans within 3 s. Returns a message about spans that were not exported, or null. Never rejects.
   */
  close(): Promise<string | null>;
}

const idle = (problem: string): Telemetry => ({
  listener: () => undefined,
  makeUpFor: () => undefined,
  close: () => Promise.resolve(problem),
});

/** The number of hexadecimal digits at the end of a trace id that are random by W3C Trace Context: 7 bytes. */
const RANDOM_DIGITS = 14;

/**
 * Returns whether a trace is sampled. Every process that continues the run gets the same result, because it depends
 * only on the id.
 */
const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS;

/**
 * Opens the exporter of runs as OpenTelemetry spans, or returns null, without loading OpenTelemetry, if the environment
 * asks for none. `env` must be the environment of the process, because the library reads some of it itself.
 */
export async function openTelemetry(env: Readonly<Record<string, string | undefined>>): Promise<Telemetry | null> {
  const settings = readTelemetrySettings(env);
  if (settings.kind === 'off') return null;
  if (settings.kind === 'unusable') return idle(settings.problem);
  try {
    const { openSpanPipeline } = await import('./span-pipeline.ts');
    const pipeline = await openSpanPipeline(settings);
    const { ratio } = settings;
    const spans = createRunSpans((span) => {
      if (isSampled(span.traceId, ratio)) pipeline.give(span);
    }, newId);
    return {
      listener: spans.listener,
      makeUpFor: (lost) => {
        if (lost !== null) spans.makeUpFor(lost);
      },
      close: () => {
        spans.close();
        return pipeline.close();
      },
    };
  } catch (error) {
    return idle(`OpenTelemetry: nothing is exported: ${messageOf(error)}`);
  }
}

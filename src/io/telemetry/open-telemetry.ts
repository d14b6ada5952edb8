import { newId } from '../clock/identity.ts';
import type { EventListener } from '#protocol/event.ts';
import { messageOf } from '#protocol/message-of.ts';
import { createRunSpans, type LostBeginning } from './run-spans.ts';
import { readTelemetrySettings } from './telemetry-settings.ts';

export interface Telemetry {
  readonly listener: EventListener;
  /** Of a run that goes on; null: its beginning was told. */
  makeUpFor(lost: LostBeginning | null): void;
  /** Sends what is left; takes 3 s at most. Null, or a sentence for people about what was not exported. Never rejects. */
  close(): Promise<string | null>;
}

const idle = (problem: string): Telemetry => ({
  listener: () => undefined,
  makeUpFor: () => undefined,
  close: () => Promise.resolve(problem),
});

/** The part of a trace id that is random by W3C Trace Context: 7 bytes. */
const RANDOM_DIGITS = 14;

/** Is a trace one of these? Whoever goes on with its run says the same. */
const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * 16 ** RANDOM_DIGITS;

/**
 * The exporter of runs as OpenTelemetry spans; null when the environment asks for none, and then nothing of
 * OpenTelemetry is loaded. `env` is that of the process: the library reads some of it by itself.
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

/** Runs as OpenTelemetry spans, for subscribers of a run; null if the environment configures none. */
export { openTelemetry as telemetryFromEnvironment, type Telemetry } from '#io/telemetry/open-telemetry.ts';
export type { LostBeginning } from '#io/telemetry/run-spans.ts';

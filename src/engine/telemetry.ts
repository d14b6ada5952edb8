/** Runs as OpenTelemetry spans, for whoever subscribes it to a run; null when the environment asks for none. */
export { openTelemetry as telemetryFromEnvironment, type Telemetry } from '#io/telemetry/open-telemetry.ts';
export type { LostBeginning } from '#io/telemetry/run-spans.ts';

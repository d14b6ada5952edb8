/** Exports runs as OpenTelemetry spans. Null if the environment configures no exporter. */
export { openTelemetry as telemetryFromEnvironment, type Telemetry } from '#io/telemetry/open-telemetry.ts';
export type { LostBeginning } from '#io/telemetry/run-spans.ts';

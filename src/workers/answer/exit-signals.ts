import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';

/** Returns the table `signals` of a worker, from exit codes or `*` to signals; null if it has none. */
export const tableOf = (signals: JsonValue | undefined): JsonObject | null => (isObject(signals) ? signals : null);

/** Returns the signal of an exit code, or null if the table has none for it. */
export function signalFor(exitCode: number, table: JsonObject): string | null {
  const signal = table[String(exitCode)] ?? table['*'];
  return typeof signal === 'string' ? signal : null;
}

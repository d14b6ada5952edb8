import type { Check, Repair } from '../print/json-documents.ts';

export const ok = (id: Check['id'], message: string): Check => ({ id, status: 'ok', message, advice: null });

const problem =
  (status: 'warn' | 'fail') =>
  (id: Check['id'], message: string, advice: string, repair?: Repair): Check => ({
    id,
    status,
    message,
    advice,
    ...(repair === undefined ? {} : { repair }),
  });
export const warn = problem('warn');
export const fail = problem('fail');

/** Returns whether version `a` is at least `b`; both are numbers separated by dots. */
export function atLeast(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

import type { ClassifiedFailure } from './classify.ts';

const LOWEST_MAXIMUM = 256;

/** Matches words about a size. The name of a parameter such as `max_tokens` is none. */
const SIZE = /large|many|long|max|exceed|limit|range|less|reduc/i;

/**
 * Returns a smaller output maximum after a model has refused one, or null if the refusal has another reason. Models
 * differ in the maximum that they accept, and most refusals name it.
 */
export function lowerMaximum(refused: number, { class: failure, said }: ClassifiedFailure): number | null {
  const isRefusal = failure === 'bad_request' || failure === 'context_length';
  if (!isRefusal || !/tokens?\b/i.test(said) || !SIZE.test(said.replace(/\bmax_\w{0,20}/g, ''))) return null;
  const named = (said.match(/\d{1,9}/g) ?? []).map(Number).filter((one) => one > LOWEST_MAXIMUM && one < refused);
  const next = named.length === 0 ? Math.floor(refused / 2) : Math.max(...named) - 1;
  return next < LOWEST_MAXIMUM ? null : next;
}

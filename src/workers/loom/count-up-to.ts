/** Returns how many of the ascending numbers are at most `most`. */
export function countUpTo(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

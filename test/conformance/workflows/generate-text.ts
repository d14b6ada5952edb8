/**
 * A text that is too large for a file: `repeat`, repeated `times` times with `separator` in between, surrounded by
 * `prefix` and `suffix`.
 */
export interface GeneratedText {
  readonly prefix: string;
  /** The repeated part. `{i}` is replaced by a number counted from 1, `{before}` by one counted from 0. */
  readonly repeat: string;
  readonly separator: string;
  readonly times: number;
  readonly suffix: string;
}

export const generateText = ({ prefix, repeat, separator, times, suffix }: GeneratedText): string => {
  if (separator === '' && !repeat.includes('{')) return prefix + repeat.repeat(times) + suffix;
  const parts = Array.from({ length: times }, (_, i) =>
    repeat.replaceAll('{i}', String(i + 1)).replaceAll('{before}', String(i)),
  );
  return prefix + parts.join(separator) + suffix;
};

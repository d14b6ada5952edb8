/** A text too large to be written: `prefix`, then `times` times `repeat` with `separator` between, then `suffix`. */
export interface GeneratedText {
  readonly prefix: string;
  /** `{i}` counts from 1, `{before}` from 0. */
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

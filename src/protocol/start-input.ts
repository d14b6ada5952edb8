import type { ViewInput } from './generated/view.gen.ts';
import { fitInput, type Inputs, readInputs } from './inputs.ts';

/** A value that a person enters when a workflow is started. */
export interface StartField extends ViewInput {
  /** True: the title is the value if the person enters none. */
  readonly isTitle: boolean;
}

/** The name of the only field of a workflow without declared inputs: a text for the first block. */
export const TASK = 'Task';

const TASK_FIELD: StartField = {
  name: TASK,
  type: 'string',
  description: 'What the first block is asked to do',
  values: null,
  fallback: null,
  isTitle: true,
};

const isFreeText = ({ type, values, fallback }: ViewInput): boolean =>
  type === 'string' && values === null && fallback === null;

/**
 * Returns what a person enters to start a workflow: the declared inputs, or one text. The title is the default of that
 * text, or of the only required text among the inputs.
 */
export function startFields(inputs: readonly ViewInput[]): readonly StartField[] {
  if (inputs.length === 0) return [TASK_FIELD];
  const texts = inputs.filter(isFreeText);
  return inputs.map((one) => ({ ...one, isTitle: texts.length === 1 && one === texts[0] }));
}

/** Returns whether a workflow can't start before a person has entered this field, besides the title. */
export const mustBeAsked = ({ isTitle, fallback }: StartField): boolean => !isTitle && fallback === null;

/** Returns what is wrong with a value that a person entered for a field; null: nothing. */
export function fieldProblem(field: StartField, text: string): string | null {
  if (text.trim() === '') return mustBeAsked(field) ? 'Enter a value.' : null;
  if (fitInput(text, field) !== undefined) return null;
  return field.values === null ? `Enter a ${field.type}.` : `Enter one of ${field.values.map(String).join(', ')}.`;
}

type StartInput =
  | { readonly ok: true; readonly input: string }
  /** `problem` is a sentence. */
  | { readonly ok: false; readonly problem: string };

/** Returns the input of a run from the title and the values that a person entered, by field. */
export function startInput(
  inputs: readonly ViewInput[],
  title: string,
  entered: ReadonlyMap<string, string>,
): StartInput {
  const fields = startFields(inputs);
  const given = fields.flatMap(({ name, isTitle }): readonly (readonly [string, string])[] => {
    const own = entered.get(name) ?? '';
    const text = own.trim() === '' && isTitle ? title : own;
    return text.trim() === '' ? [] : [[name, text]];
  });
  if (inputs.length === 0) return { ok: true, input: given[0]?.[1] ?? title };
  const declared: Inputs = Object.fromEntries(inputs.map((one) => [one.name, one]));
  const read = readInputs(declared, JSON.stringify(Object.fromEntries(given)));
  return read.ok ? { ok: true, input: JSON.stringify(read.values) } : { ok: false, problem: read.problems.join(' ') };
}

import { type CallComparison, compareCalls, type AnswerVerdict } from '#logic/calls/compare-calls.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import type { ValidateJson } from '#workers/ai/answer-data.ts';
import { readAnswer } from '#workers/ai/read-answer.ts';

const NO_ANSWER: AnswerVerdict = { signal: null, valid: null, problem: null };

/** Returns a validator only if the call has a schema, so that ajv is loaded only then. */
async function validatorFor({ request: { rules, schema } }: CallRecord): Promise<ValidateJson | null> {
  const written = rules?.schema ?? schema;
  if (written === null) return null;
  const { validatorOf } = await import('../schemas/schema-validators.ts');
  return validatorOf(written);
}

/** Returns the signal of a logged answer, and whether it matches its block's schema. */
export async function verdictOf(record: CallRecord): Promise<AnswerVerdict> {
  const { answer, request } = record;
  if (answer === null) return NO_ANSWER;
  const validate = await validatorFor(record);
  const rules = { outputType: 'ANSWER', validation: request.rules ?? null, validate, edits: null };
  const { signal, append = [] } = readAnswer(answer.text, rules);
  const problem = append.find(({ type }) => type === 'VALIDATION_ERROR')?.content ?? null;
  return { signal, valid: validate === null ? null : problem === null, problem };
}

/** Compares two logged calls, including the verdicts of their answers. */
export const compareLogged = async (left: CallRecord, right: CallRecord): Promise<CallComparison> =>
  compareCalls(left, right, { left: await verdictOf(left), right: await verdictOf(right) });

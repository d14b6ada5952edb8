import { type CallComparison, compareCalls, type Verdict } from '#machines/calls/compare-calls.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { readAnswer, type ValidateJson } from '#workers/ai/read-answer.ts';

const NO_ANSWER: Verdict = { signal: null, valid: null, problem: null };

/** Without a schema no validator is loaded. */
async function validatorFor({ request: { rules, schema } }: CallRecord): Promise<ValidateJson | null> {
  const written = rules?.schema ?? schema;
  if (written === null) return null;
  const { validatorOf } = await import('../schemas/schema-validators.ts');
  return validatorOf(written);
}

/** What a logged answer says: its signal, and whether it fits the schema that its block asked for. */
export async function verdictOf(record: CallRecord): Promise<Verdict> {
  const { answer, request } = record;
  if (answer === null) return NO_ANSWER;
  const validate = await validatorFor(record);
  const rules = { outputType: 'ANSWER', validation: request.rules ?? null, validate, edits: null };
  const { signal, append = [] } = readAnswer(answer.text, rules);
  const problem = append.find(({ type }) => type === 'VALIDATION_ERROR')?.content ?? null;
  return { signal, valid: validate === null ? null : problem === null, problem };
}

/** Two logged calls side by side, with what their answers say (seed 004 §5.5). */
export const compareLogged = async (left: CallRecord, right: CallRecord): Promise<CallComparison> =>
  compareCalls(left, right, { left: await verdictOf(left), right: await verdictOf(right) });

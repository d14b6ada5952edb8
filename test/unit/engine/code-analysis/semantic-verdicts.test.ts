import { expect, test } from 'vitest';
import { semanticVerdicts } from '../../../../src/engine/code-analysis/semantic-verdicts.ts';
import type { JsonObject } from '../../../../src/protocol/json.ts';

const asked = async (data: JsonObject) => {
  let calls = 0;
  const verdicts = semanticVerdicts({
    call: () => {
      calls += 1;
      return Promise.resolve({ ok: true, text: '', data, paths: [] });
    },
  });
  const answers = [await verdicts.compare('/w', 'a', 'b'), await verdicts.compare('/w', 'a', 'b')];
  return { answers, calls };
};

test('a comparison of only a part of the files is no verdict, and is not repeated', async () => {
  expect(await asked({ clashes: [], not_compared_total: 3 })).toEqual({ answers: [null, null], calls: 1 });
});

test('a whole comparison without a clash is a verdict', async () => {
  expect((await asked({ clashes: [], not_compared_total: 0 })).answers[0]).toEqual([]);
});

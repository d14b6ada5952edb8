/** The scripted answers of the starter. The tests fail at first and pass after the fix. */
export const STARTER_ANSWERS = `{
  // For every block, its answers in order; the last one repeats. A run executes the blocks that are not listed here.
  "Feature_Implement__WriteCode": [
    { "text": "Here are the greeting and its test.\\n\\n\`\`\`js path=robosmith-hello.mjs\\nexport const greet = (name) => 'Hello ' + nme;\\n\`\`\`\\n\\n\`\`\`js path=robosmith-hello.test.mjs\\nimport { equal } from 'node:assert/strict';\\nimport { test } from 'node:test';\\nimport { greet } from './robosmith-hello.mjs';\\n\\ntest('greets by name', () => equal(greet('Ada'), 'Hello Ada'));\\n\`\`\`\\n\\nSIGNAL:SUCCESS" }
  ],
  "Feature_Implement__SaveFiles": [{ "signal": "SIGNAL:SUCCESS" }],
  "Feature_Implement__RunTests": [
    { "signal": "SIGNAL:FAILURE", "append": [{ "type": "TEST_RESULT", "content": "1 failed: nme is not defined" }], "delay_ms": 1200 },
    { "signal": "SIGNAL:SUCCESS", "append": [{ "type": "TEST_RESULT", "content": "1 passed" }], "delay_ms": 1100 }
  ],
  "Troubleshoot__FixCode": [
    { "text": "A typing slip.\\n\\n\`\`\`js path=robosmith-hello.mjs\\nexport const greet = (name) => 'Hello ' + name;\\n\`\`\`\\n\\nSIGNAL:SUCCESS", "delay_ms": 300 }
  ]
}
`;

import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import { KEPT_BACK } from '#protocol/outbound.ts';

/** Returns the starter's registry of workers. Workers that it does not list can't be used. */
export function starterRegistry(): string {
  const targets = BUILT_IN_WORKER_NAMES.map((name) => [name, name.replace('Internal:', 'builtin:')]);
  return `${JSON.stringify(Object.fromEntries(targets), null, 2)}\n`;
}

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

/** Git tracks only the registry and the task tree of `.flow/`. */
const RULES = ['.flow/*', '!.flow/flow.registry.json', '!.flow/status.md', '.vision/logs/'];

/** Returns the rules that a .gitignore lacks; '' if it has all. */
export function missingIgnoreRules(present: string): string {
  const lines = new Set(present.split(/\r?\n/).map((line) => line.trim()));
  const missing = RULES.filter((rule) => !lines.has(rule));
  if (missing.length === 0) return '';
  const gap = present === '' ? '' : present.endsWith('\n') ? '\n' : '\n\n';
  return `${gap}# RoboSmith\n${missing.join('\n')}\n`;
}

/** The starter's `.vision/ignore`: explains the built-in rules and how to add more. */
export const STARTER_OUTBOUND_RULES = `# What must not leave this machine. A file that matches a rule is never put into a prompt or into the code index.
# The syntax is that of .gitignore. The rules below always apply. To make an exception, write the rule with ! before it
# into the file "ignore" of your configuration folder (\`robosmith doctor\` names it); .git/ has no exception.
#
${KEPT_BACK.map((line) => `#   ${line}`).join('\n')}
#
# For example:
#   /customers/
#   *.sqlite
#   !/customers/example.json
`;

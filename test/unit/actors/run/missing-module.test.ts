import { expect, test } from 'vitest';
import { missingModuleHint } from '#actors/run/missing-module.ts';

test.each([
  ["Error: Cannot find module 'ava'\nRequire stack:\n- /w/test.js", 'ava', 'npm'],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/one' imported from /w/a.mjs", '@scope/one', 'npm'],
  ["Error: Cannot find module '/w/node_modules/jest/bin/jest.js'", 'jest/bin/jest.js', 'npm'],
  ['> project@1.0.0 test\n> vitest run\n\nsh: 1: vitest: not found', 'vitest', 'npm'],
  ['sh: vitest: command not found', 'vitest', 'npm'],
  ["E   ModuleNotFoundError: No module named 'requests'", 'requests', 'uv'],
  ['/usr/bin/python3: No module named pytest', 'pytest', 'uv'],
  ['PHP Fatal error: Failed opening required /w/vendor/autoload.php', 'vendor/autoload.php', 'composer'],
  ["Could not find gem 'rspec (~> 3.0)' in locally installed gems", 'rspec', 'bundle'],
])('%j names the module and a setting', (output, name, program) => {
  const hint = missingModuleHint(output);
  expect(hint).toContain(`"${name}" is not installed in the worktree`);
  expect(hint).toContain(`[["${program}"`);
});

test.each([
  "Error: Cannot find module './nope'",
  "Cannot find module '/w/src/nope.mjs' imported from /w/a.mjs",
  'AssertionError: 1 !== 2',
  "TypeError: Cannot find property 'x'",
  '',
])('%j is no missing dependency', (output) => {
  expect(missingModuleHint(output)).toBeNull();
});

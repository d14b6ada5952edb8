import { describe, expect, test } from 'vitest';
import { complete } from '#language/index.ts';
import { type Change, open, schema } from './fixture.ts';

const labels = (change: Change): readonly string[] => {
  const { project, file, position } = open(change);
  return complete(project, file, position, schema).map(({ label }) => label);
};

const OWN = ['Write', 'Test', 'Done'];
const OTHER = ['Fix__Prepare', 'Fix__Finish', 'Base__Prepare', 'Base__Finish', 'Review__Read'];
const NODES = ['Build', 'Fix', 'Base', 'Review'];
const SIGNALS = [
  ...['SIGNAL:SUCCESS', 'SIGNAL:FAILURE', 'SIGNAL:FAIL_DEFAULT', 'SIGNAL:ERROR', 'SIGNAL:TIMEOUT'],
  ...['SIGNAL:VALIDATION_FAIL', 'SIGNAL:NO_SIGNAL', 'SIGNAL:RETRY_LATER', 'SIGNAL:ASK'],
];
const ACTIONS = [
  ...['JUMP:Write', 'JUMP:Test', 'JUMP:Done', 'RETURN', 'HALT_AND_FLAG'],
  ...['CALL:Build', 'CALL:Fix', 'CALL:Base', 'CALL:Review', 'JUMP:', 'CALL:', 'FORK:'],
];
const DECLARED = ['Worker:Coder', 'Worker:Shell', 'Worker:Script'];
const CONDITIONS = [
  ...['exports.equals', 'exports.truthy', 'payload.has_type', 'response.success'],
  ...['attempt.less_than', 'visits.less_than', 'returned.all', 'returned.any', 'returned.count', 'tests.green'],
];
const GLOBS = ['.env', 'src/**/*.ts', 'test/**', 'src/login/**', 'src/login/form.ts', 'README.md'];
const INSTRUCTIONS = ['ALL', 'NONE', 'TYPE:', 'LAST:', 'BLOCK:', 'MERGE:STATIC_MEMORY:', 'EXPORT:', 'TEXT:'];

/** Cases: a text of the manifest, its replacement with the cursor (`|`), and all completions offered there. */
const OFFERED: readonly (readonly [string, string, readonly string[]])[] = [
  ['"JUMP:Test"', '"JUMP:|"', [...OWN, ...OTHER]],
  ['"JUMP:Test"', '"JUMP:Te|"', [...OWN, ...OTHER]],
  ['"JUMP:Test"', '"JUMP:Block:|"', [...OWN, ...OTHER]],
  ['"JUMP:Test"', '"|"', ACTIONS],
  ['"JUMP:Test"', '|', ACTIONS],
  ['"JUMP:Test"', '"JU|MP:Test"', ACTIONS],
  ['"CALL:Review:Write"', '"CALL:|"', NODES],
  ['"CALL:Review:Write"', '"CALL:Node:|"', NODES],
  ['"CALL:Review:Write"', '"CALL:Re|view:Write"', NODES],
  ['"CALL:Review:Write"', '"CALL:Review:|"', [...OWN, ...OTHER]],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:|"', NODES],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:Review,|"', NODES],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:Rev|,Fix"', NODES],
  ['"FORK:Review,Node:Fix:Done"', '"FORK:Review,Fix:|"', [...OWN, ...OTHER]],
  ['"entry": "Build"', '"entry": "|"', NODES],
  ['"entry": "Build"', '"entry": |', NODES],
  ['"resolver": "Node:Fix"', '"resolver": "Node:|"', NODES],
  ['"extend": "Base"', '"extend": "|"', NODES],
  ['"extend": "Base"', '"mixins": ["|"]', NODES],
  ['"node": "Fix"', '"node": "|"', NODES],
  ['"entry_block": "Write"', '"entry_block": "|"', [...OWN, ...OTHER]],
  ['"block": "Write"', '"block": "|"', [...OWN, ...OTHER]],
  ['"SIGNAL:ASK"', '"SIGNAL:ASK|"', SIGNALS],
  ['"SIGNAL:ASK"', '"|"', SIGNALS.filter((one) => one !== 'SIGNAL:ASK')],
  ['"3": "SIGNAL:RETRY_LATER"', '"3": "S|"', [...SIGNALS.slice(0, 7), 'SIGNAL:ASK', 'SIGNAL:RETRY_LATER']],
  ['"id": "visits.less_than"', '"id": "|"', CONDITIONS],
  ['"id": "visits.less_than"', '"id": |', CONDITIONS],
  ['"worker": "Worker:Shell"', '"worker": "|"', [...DECLARED, 'Internal:TestRunner']],
  ['"policy": "repair", "worker": "Worker:Script"', '"policy": "repair", "worker": "|"', [...DECLARED, 'Linter']],
  ['"artifact": ["src/**/*.ts"]', '"artifact": ["src/**/*.ts", "|"]', GLOBS],
  ['"artifact": ["src/**/*.ts"]', '"artifact": "|"', GLOBS.filter((one) => one !== 'src/**/*.ts')],
  ['"paths": ["test/**"]', '"paths": ["test/**", |]', GLOBS],
  ['"copy": [".env"]', '"copy": [".env"], "link": ["|"]', GLOBS],
  ['"pool": "main"', '"pool": "|"', ['main']],
  ['"provider": "anthropic"', '"provider": "|"', ['openai', 'anthropic', 'google']],
  ['"contract": "Write the code."', '"context_slice": "|"', ['outline']],
  ['"TYPE:NOTES"', '"|"', INSTRUCTIONS],
  ['"TYPE:NOTES"', '"TYPE:|"', ['CODE_OUTPUT', 'EDIT_OPERATIONS', 'NOTES']],
  ['"TYPE:NOTES"', '"LAST:|"', ['CODE_OUTPUT', 'EDIT_OPERATIONS', 'NOTES']],
  ['"TYPE:NOTES"', '"BLOCK:|"', [...OWN, ...OTHER]],
  ['"TYPE:NOTES"', '"MERGE:STATIC_MEMORY:|"', ['rules', 'tone']],
  ['"TYPE:NOTES"', '"EXPORT:|"', ['plan']],
  ['"TYPE:NOTES"', '"TEXT:|"', []],
  ['"output_type": "NOTES"', '"output_type": "|"', ['CODE_OUTPUT', 'EDIT_OPERATIONS']],
  ['"mode": "partial"', '"mode": |', ['strict', 'partial', 'shared']],
  ['"mode": "partial"', '"mode": "|"', ['strict', 'partial', 'shared']],
  ['"kind": "scripted"', '"kind": "|"', ['ai', 'command', 'agent', 'module', 'scripted']],
  ['"type": "jump"', '"type": "|"', ['proceed', 'stop_and_flag', 'return', 'execute_node', 'jump']],
  ['"policy": "repair"', '"policy": "|"', ['retry', 'repair', 'bubble']],
  ['"entry": "Build",', '"en|"', ['entry', 'max_steps']],
  ['"extend": "Base",', '|"extend": "Base",', ['entry_block', 'context_inheritance']],
  ['{ "mode": "partial", "paths": ["test/**"] }', '{ | }', ['mode', 'paths']],
  ['"provider": "anthropic"', '|', ['provider', 'base_url', 'instructions', 'params', 'fallback', 'on_exhausted']],
  ['{ "on_signal": "SIGNAL:ASK"', '{ |}, { "on_signal": "SIGNAL:ASK"', ['on_signal', 'action', 'condition']],
  ['// It has', '// "worker": "|" It has', []],
  ['"contract": "Write the code."', '"contract": "Write |"', []],
];

describe('completions', () => {
  test.each(OFFERED)('%s → %s', (before, after, expected) => {
    const found = labels({ before, after });
    const isOpenEnded = expected.includes('Internal:TestRunner') || expected.includes('Linter');
    if (isOpenEnded || after.startsWith('"en') || after.startsWith('|"extend') || after.includes('{ |}'))
      expect(found).toEqual(expect.arrayContaining([...expected]));
    else if (expected[0] === 'provider') expect(found.slice(0, 6)).toEqual(expected);
    else expect(found).toEqual(expected);
  });

  test.each(OFFERED.filter(([before, after]) => before.includes('": "') && /: "[^"]*\|[^"]*"$/.test(after)))(
    '%s → %s replaces the whole string, which the editor ranks as high as its own completions',
    (before, after) => {
      const { project, file, position, texts } = open({ before, after });
      const line = texts.get(file)?.split('\n')[position.line] ?? '';
      for (const { label, range, newText, filterText, isSnippet } of complete(project, file, position, schema)) {
        const replaced = line.slice(range.start.character, range.end.character);
        expect(replaced).toMatch(/^".*"$/);
        const text = isSnippet ? newText.replace('$0', '').replaceAll(/\\([$}\\])/g, '$1') : newText;
        expect(JSON.parse(text)).toContain(label);
        expect(text).toBe(filterText);
      }
    },
  );

  test('a part of an action is replaced within its string', () => {
    const { project, file, position } = open({ before: '"CALL:Review:Write"', after: '"CALL:Re|view:Write"' });
    expect(complete(project, file, position, schema)[0]?.newText).toBe('"CALL:Build:Write"');
  });

  test('a text is offered with its quotes where none is begun', () => {
    const { project, file, position } = open({ before: '"pool": "main"', after: '"pool": |' });
    expect(complete(project, file, position, schema).map(({ newText }) => newText)).toEqual(['"main"']);
  });

  test('a key comes with the beginning of its value, and with a comma before another key', () => {
    const { project, file, position } = open({ before: '"extend": "Base",', after: '|"extend": "Base",' });
    const offered = new Map(complete(project, file, position, schema).map((one) => [one.label, one.newText]));
    expect(offered.get('mixins')).toBe('"mixins": [$1],');
    expect(offered.get('static_memory')).toBe('"static_memory": {$1},');
    expect(offered.has('extend')).toBe(false);
  });

  test('imported files complete from the importing one', () => {
    expect(labels({ before: '"worker": "Worker:Script"', after: '"worker": "|"', inShared: true })).toEqual(
      expect.arrayContaining(DECLARED),
    );
  });
});

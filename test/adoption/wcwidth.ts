import { append, between, BLOCKS, line, type Project, READ_ONLY } from './changes.ts';

const TEST = 'test/index.js';
const CODE = 'index.js';

const tested = (name: string, call: string, width: number): string =>
  `\ntest('${name}', function(t) {\n  t.strictEqual(${call}, ${String(width)})\n  t.end()\n})\n`;

const BY_CHARACTER = [
  between(
    CODE,
    '  var s = 0\n',
    '    if (n < 0) return -1',
    '  for (var char of str) {\n    var n = wcwidth(char.codePointAt(0), opts)\n',
  ),
  between(
    CODE,
    '(ucs >= 0xffe0 && ucs <= 0xffe6) ||\n',
    '        (ucs >= 0x20000',
    '        (ucs >= 0x1f300 && ucs <= 0x1f64f) ||     // Emoji\n        (ucs >= 0x1f900 && ucs <= 0x1f9ff) ||\n',
  ),
];

const TAB = between(
  CODE,
  '  if (ucs === 0) return opts.nul\n',
  '  if (ucs < 32',
  '  if (ucs === 9 && opts.tab !== undefined) return opts.tab\n',
);

const IS_CONTROL = [
  between(
    CODE,
    '  if (ucs === 0) return opts.nul\n',
    '\n\n  // binary search in table',
    '  if (isControl(ucs)) return opts.control',
  ),
  append(CODE, '\nfunction isControl(ucs) {\n  return ucs < 32 || (ucs >= 0x7f && ucs < 0xa0)\n}\n'),
];

const CONSTANTS = between(
  CODE,
  '"use strict"\n',
  '\nvar DEFAULTS',
  "\nconst defaults = require('defaults')\nconst combining = require('./combining')\n",
);

const ASCII = between(
  CODE,
  "  if (typeof str !== 'string') return wcwidth(str, opts)\n",
  '\n  var s = 0',
  '  if (/^[\\x20-\\x7e]*$/.test(str)) return str.length\n',
);

export const WCWIDTH: Project = {
  name: 'wcwidth',
  version: '1.0.1',
  files: [CODE, TEST, 'Readme.md', 'package.json'],
  jobs: {
    'fix-bug': {
      inputs: ['bug=A variation selector beyond the basic plane (U+E0100) counts as 2 columns. It has none.'],
      replies: [
        { contract: BLOCKS.reproduce, edits: [append(TEST, tested('ignores U+E0100', "wcwidth('a\\u{E0100}😀')", 3))] },
        { contract: BLOCKS.repair, edits: BY_CHARACTER },
      ],
    },
    feature: {
      inputs: ['feature=An option "tab" says how many columns a tab has. Without it, tabs stay control characters.'],
      replies: [
        {
          contract: BLOCKS.writeTests,
          edits: [append(TEST, tested('can have a value for tabs', "wcwidth.config({ tab: 8 })('a\\tb\\n')", 10))],
        },
        {
          contract: BLOCKS.implement,
          edits: [TAB, append('Readme.md', '\n## Tabs\n\n`wcwidth.config({ tab: 8 })` counts a tab as 8 columns.\n')],
        },
      ],
    },
    'refactor-safely': {
      inputs: ['goal=The range of control characters has a name, in index.js.'],
      replies: [
        {
          contract: BLOCKS.pinDown,
          edits: [append(TEST, tested('counts no control characters', "wcwidth('\\x7f\\x9f\\x1fa')", 1))],
        },
        { contract: BLOCKS.step, edits: IS_CONTROL },
      ],
    },
    docs: {
      inputs: ['topic=The options nul and control, for users of the package, in Readme.md.'],
      replies: [
        {
          contract: BLOCKS.write,
          edits: [
            append(
              'Readme.md',
              "\n## Options\n\n```js\nwcwidth.config({ nul: 1, control: -1 })('a\\n') // -1\n```\n\n`nul` is the width of U+0000, `control` that of other control characters; both are 0 by default.\nA negative width of a character makes the width of the whole string -1.\n",
            ),
          ],
        },
      ],
    },
    'dependency-update': {
      inputs: ['packages=tape to ^4.17.0'],
      replies: [
        {
          contract: BLOCKS.update,
          edits: [between('package.json', '    "tape": "^', '"\n  },\n  "license"', '4.17.0')],
        },
      ],
    },
    migrate: {
      inputs: ['from=var x = require(…)', 'to=const x = require(…)', 'files=index.js, test/index.js'],
      replies: [
        { contract: BLOCKS.example, edits: [CONSTANTS] },
        {
          contract: BLOCKS.batch,
          edits: [
            line(TEST, 3, "var wcwidth = require('../')", "const wcwidth = require('../')"),
            line(TEST, 4, "var test = require('tape')", "const test = require('tape')"),
          ],
        },
      ],
    },
    explore: {
      inputs: ['question=Most texts are ASCII. How do they become faster without a change for others?'],
      replies: [
        {
          contract: BLOCKS.build,
          edits: [ASCII, append(TEST, tested('counts ASCII by length', "wcwidth(' ~ab')", 4))],
        },
      ],
    },
    review: READ_ONLY,
    'security-audit': READ_ONLY,
  },
};

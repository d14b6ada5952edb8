import { append, between, BLOCKS, line, type Project, READ_ONLY } from './changes.ts';

const TEST = 'test/spec.js';
const CODE = 'semver-utils.js';

const tested = (name: string, claim: string): string =>
  `\ndescribe('${name}', function() {\n  it('holds', function() {\n    ${claim};\n  });\n});\n`;

const OF_PLAIN_OBJECTS = between(
  CODE,
  "str += ver.operator + ' ';\n      }\n      if (ver.major) {\n",
  " + ' ';\n      }\n    }",
  '        str += stringifySemver(ver)',
);

const VALID = between(
  CODE,
  '  module.exports.parse = parseSemver;\n',
  '  module.exports.stringify = stringifySemver;',
  '  module.exports.valid = function (version) {\n    return null !== parseSemver(version);\n  };\n',
);

const JOINED = between(
  CODE,
  '  function stringifySemver(obj) {\n',
  '    if (obj.release) {',
  "    var str = [obj.major, obj.minor, obj.patch].map(function (part) {\n      return part || '0';\n    }).join('.');\n\n",
);

const NO_LEADING_ZEROS = between(
  CODE,
  'var reSemver = /^v?',
  '(?:-([',
  String.raw`((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))`,
);

export const SEMVER_UTILS: Project = {
  name: 'semver-utils',
  version: '1.1.4',
  files: [CODE, TEST, 'test/deepOwnEqual.js', 'README.md', 'package.json'],
  jobs: {
    'fix-bug': {
      inputs: ['bug=stringifyRange writes [object Object] for ranges that were read from JSON.'],
      replies: [
        {
          contract: BLOCKS.reproduce,
          edits: [
            append(
              TEST,
              tested(
                'stringifyRange of plain objects',
                "var plain = JSON.parse(JSON.stringify(semverutils.parseRange('>=1.2.3 <2.0.0')));\n    require('chai').assert.equal(semverutils.stringifyRange(plain), '>= 1.2.3 < 2.0.0')",
              ),
            ),
          ],
        },
        { contract: BLOCKS.repair, edits: [OF_PLAIN_OBJECTS] },
      ],
    },
    feature: {
      inputs: ['feature=valid(version) says whether a text is a version.'],
      replies: [
        {
          contract: BLOCKS.writeTests,
          edits: [
            append(
              TEST,
              tested(
                'valid',
                "require('chai').assert.deepEqual(['1.2.3', 'v1.2.3-a+b', '1.2'].map(semverutils.valid), [true, true, false])",
              ),
            ),
          ],
        },
        {
          contract: BLOCKS.implement,
          edits: [VALID, append('README.md', "\n`semverutils.valid('1.2')` returns whether a text is a version.\n")],
        },
      ],
    },
    'refactor-safely': {
      inputs: ['goal=stringify is shorter, in semver-utils.js.'],
      replies: [
        {
          contract: BLOCKS.pinDown,
          edits: [
            append(
              TEST,
              tested(
                'stringify of parts',
                "require('chai').assert.equal(semverutils.stringify({ minor: '2', build: 'b' }), '0.2.0+b')",
              ),
            ),
          ],
        },
        { contract: BLOCKS.step, edits: [JOINED] },
      ],
    },
    docs: {
      inputs: ['topic=What parse returns for a text that is no version, for users, in README.md.'],
      replies: [
        {
          contract: BLOCKS.write,
          edits: [
            append('README.md', "\nInvalid versions\n---\n\n`parse` returns `null`: `semverutils.parse('1.2')`.\n"),
          ],
        },
      ],
    },
    'dependency-update': {
      inputs: ['packages=chai to ^3.5.0'],
      replies: [
        { contract: BLOCKS.update, edits: [between('package.json', '"chai": "^', '",\n    "mocha": "', '3.5.0')] },
      ],
    },
    migrate: {
      inputs: ['from=var x = require(…)', 'to=const x = require(…)', 'files=test/**'],
      replies: [
        {
          contract: BLOCKS.example,
          edits: [
            line(
              'test/deepOwnEqual.js',
              1,
              "var assert = require('chai').assert;",
              "const assert = require('chai').assert;",
            ),
          ],
        },
        {
          contract: BLOCKS.batch,
          edits: [
            line(
              TEST,
              2,
              "var semverutils = require('../semver-utils');",
              "const semverutils = require('../semver-utils');",
            ),
            line(
              TEST,
              3,
              "var deepOwnEqual = require('./deepOwnEqual');",
              "const deepOwnEqual = require('./deepOwnEqual');",
            ),
          ],
        },
      ],
    },
    explore: {
      inputs: [
        'question=The specification forbids leading zeros, and parse takes them. Where is the best place to refuse them?',
      ],
      replies: [
        {
          contract: BLOCKS.build,
          edits: [
            NO_LEADING_ZEROS,
            append(
              TEST,
              tested(
                'leading zeros',
                "require('chai').assert.deepEqual(['01.0.0', '1.0.00', '0.10.0'].map(semverutils.parse).map(Boolean), [false, false, true])",
              ),
            ),
          ],
        },
      ],
    },
    review: READ_ONLY,
    'security-audit': READ_ONLY,
  },
};

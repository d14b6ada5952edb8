/**
 * What a file offers to others is the list of names that it exports, whatever form the export and the import have. Once,
 * only definitions and ES modules were compared: a renamed export of a CommonJS module, or an alias, was no clash.
 */
import { expect, test } from 'vitest';
import { findClashes } from '../../../src/roberto-mcp/compare/find-clashes.ts';
import { makeScene } from './analysis.ts';

interface Pair {
  readonly title: string;
  /** The library before and after the change of one branch. */
  readonly library: readonly [string, string];
  /** What the other branch appends to the caller. */
  readonly use: string;
  /** Line of the caller that the other branch appends its use to; empty by default. */
  readonly caller?: string;
  /** A third file, between library and caller. */
  readonly between?: string;
  readonly ending?: string;
  readonly clashes: boolean;
}

const FUNCTION = 'function total(a) {\n  return a + 1;\n}\n';
const RENAMED = 'function sum(a) {\n  return a + 1;\n}\n';
const WITH_RATE = 'function total(a, rate) {\n  return a * rate;\n}\n';

const COMMON_JS: readonly Pair[] = [
  {
    title: 'a renamed entry of module.exports, destructured',
    library: [`${FUNCTION}module.exports = { total };\n`, `${RENAMED}module.exports = { sum };\n`],
    use: "const { total } = require('./lib.js');\nconsole.log(total(1));\n",
    clashes: true,
  },
  {
    title: 'a renamed entry, used as a property of the module object',
    library: [`${FUNCTION}module.exports = { total };\n`, `${RENAMED}module.exports = { sum };\n`],
    caller: "const lib = require('./lib');\n",
    use: 'console.log(lib.total(1));\n',
    clashes: true,
  },
  {
    title: 'a removed exports.name',
    library: ['exports.total = function (a) {\n  return a;\n};\nexports.other = 1;\n', 'exports.other = 1;\n'],
    use: "const total = require('./lib').total;\nconsole.log(total(1));\n",
    clashes: true,
  },
  {
    title: 'a property of the exported function',
    library: [
      `${FUNCTION}function main() {}\nmain.total = total;\nmodule.exports = main;\n`,
      `${FUNCTION}function main() {}\nmain.sum = total;\nmodule.exports = main;\n`,
    ],
    caller: "const main = require('./lib.js');\nmain();\n",
    use: 'main.total(1);\n',
    clashes: true,
  },
  {
    title: 'a new required parameter of a function that is exported under another name',
    library: [`${FUNCTION}module.exports = { count: total };\n`, `${WITH_RATE}module.exports = { count: total };\n`],
    caller: "const { count } = require('./lib.js');\n",
    use: 'console.log(count(1));\n',
    clashes: true,
  },
  {
    title: 'an inline method of module.exports',
    library: [
      'module.exports = {\n  total(a) {\n    return a;\n  },\n};\n',
      'module.exports = {\n  sum(a) {\n    return a;\n  },\n};\n',
    ],
    use: "const { total: t } = require('./lib.js');\nt(1);\n",
    clashes: true,
  },
  {
    title: 'the whole export has another signature',
    library: [`${FUNCTION}module.exports = total;\n`, `${WITH_RATE}module.exports = total;\n`],
    caller: "const anyName = require('./lib.js');\n",
    use: 'console.log(anyName(1));\n',
    clashes: true,
  },
  {
    title: 'Object.assign to exports',
    library: [`${FUNCTION}Object.assign(exports, { total });\n`, `${RENAMED}Object.assign(exports, { sum });\n`],
    use: "require('./lib.js').total(1);\n",
    clashes: true,
  },
  {
    title: 'through an index that spreads the module',
    library: [`${FUNCTION}module.exports = { total };\n`, `${RENAMED}module.exports = { sum };\n`],
    between: "module.exports = { ...require('./lib'), extra: 1 };\n",
    use: "const { total } = require('./index');\ntotal(1);\n",
    clashes: true,
  },
  {
    title: 'through an index that holds the module under a name',
    library: [`${FUNCTION}exports.total = total;\n`, `${RENAMED}exports.sum = sum;\n`],
    between: "module.exports = { lib: require('./lib') };\n",
    caller: "const all = require('./index');\n",
    use: 'all.lib.total(1);\n',
    clashes: true,
  },
  {
    title: 'a default import of a CommonJS module',
    library: [`${FUNCTION}module.exports = { total };\n`, `${RENAMED}module.exports = { sum };\n`],
    caller: "import lib from './lib.js';\n",
    use: 'lib.total(1);\n',
    clashes: true,
  },
  {
    title: 'a renamed function that keeps its exported name',
    library: [`${FUNCTION}module.exports = { total };\n`, `${RENAMED}module.exports = { total: sum };\n`],
    use: "const { total } = require('./lib.js');\ntotal(1);\n",
    clashes: false,
  },
  {
    title: 'a private function that is renamed',
    library: [`${FUNCTION}module.exports = { count: 1 };\n`, `${RENAMED}module.exports = { count: 1 };\n`],
    use: "const { count } = require('./lib.js');\nconst total = count;\nconsole.log(total);\n",
    clashes: false,
  },
  {
    title: 'an added entry',
    library: [
      `${FUNCTION}module.exports = { total };\n`,
      `${FUNCTION}const more = 2;\nmodule.exports = { total, more };\n`,
    ],
    use: "const { total } = require('./lib.js');\ntotal(1);\n",
    clashes: false,
  },
];

const ALIASES: readonly Pair[] = [
  {
    title: 'a renamed export alias',
    library: [`${FUNCTION}export { total as count };\n`, `${FUNCTION}export { total as amount };\n`],
    use: "import { count } from './lib.js';\ncount(1);\n",
    clashes: true,
  },
  {
    title: 'a new parameter behind an export alias',
    library: [`${FUNCTION}export { total as count };\n`, `${WITH_RATE}export { total as count };\n`],
    caller: "import { count } from './lib.js';\n",
    use: 'count(1);\n',
    clashes: true,
  },
  {
    title: 'a new parameter behind a barrel alias',
    library: [`export ${FUNCTION}`, `export ${WITH_RATE}`],
    between: "export { total as count } from './lib.js';\n",
    caller: "import { count } from './index.js';\n",
    use: 'count(1);\n',
    clashes: true,
  },
  {
    title: 'an entry dropped from a barrel',
    library: ["export { join, parse } from './paths.js';\n", "export { join } from './paths.js';\n"],
    use: "import { parse } from './lib.js';\nparse('a');\n",
    clashes: true,
  },
  {
    title: 'a module re-exported as a namespace',
    library: [`export ${FUNCTION}`, `export ${RENAMED}`],
    between: "export * as math from './lib.js';\n",
    caller: "import { math } from './index.js';\n",
    use: 'math.total(1);\n',
    clashes: true,
  },
  {
    title: 'a default re-exported under a name',
    library: [`export default ${FUNCTION}`, `export default ${WITH_RATE}`],
    between: "export { default as count } from './lib.js';\n",
    caller: "import { count } from './index.js';\n",
    use: 'count(1);\n',
    clashes: true,
  },
  {
    title: 'an import that is exported again in a separate statement',
    library: [`export ${FUNCTION}`, `export ${WITH_RATE}`],
    between: "import { total } from './lib.js';\nexport { total as count };\n",
    caller: "import { count } from './index.js';\n",
    use: 'count(1);\n',
    clashes: true,
  },
  {
    title: 'a property of an awaited import',
    library: [`export ${FUNCTION}`, `export ${RENAMED}`],
    use: "export const late = async () => (await import('./lib.js')).total(1);\n",
    clashes: true,
  },
  {
    title: 'a destructured dynamic import',
    library: [`export ${FUNCTION}`, `export ${RENAMED}`],
    use: "export async function late() {\n  const { total } = await import('./lib.js');\n  return total(1);\n}\n",
    clashes: true,
  },
  {
    title: 'the callback of a dynamic import',
    library: [`export ${FUNCTION}`, `export ${RENAMED}`],
    use: "void import('./lib.js').then(({ total }) => total(1));\n",
    clashes: true,
  },
  {
    title: 'an import assignment of TypeScript',
    library: [
      'export function total(a: number): number {\n  return a;\n}\n',
      'export function sum(a: number): number {\n  return a;\n}\n',
    ],
    caller: "import lib = require('./lib');\n",
    use: 'lib.total(1);\n',
    ending: 'ts',
    clashes: true,
  },
  {
    title: 'an entry that moves to a module whose exports are all re-exported',
    library: [
      "export { join, parse } from './paths.js';\n",
      "export { join } from './paths.js';\nexport * from './more.js';\n",
    ],
    use: "import { parse } from './lib.js';\nparse('a');\n",
    clashes: false,
  },
  {
    title: 'a renamed function that keeps its alias',
    library: [`${FUNCTION}export { total as count };\n`, `${RENAMED}export { sum as count };\n`],
    use: "import { count } from './lib.js';\ncount(1);\n",
    clashes: false,
  },
];

test.each([...COMMON_JS, ...ALIASES])(
  '$title',
  async ({ library, use, caller = '', between, ending = 'js', clashes }) => {
    const [before, after] = library;
    const scene = makeScene({
      [`src/lib.${ending}`]: before,
      ...(between === undefined ? {} : { [`src/index.${ending}`]: between }),
      [`src/caller.${ending}`]: caller,
    });
    try {
      const branch = (name: string, path: string, text: string): void => {
        scene.git('checkout', '--quiet', '-b', name, 'main');
        scene.write(path, text);
        scene.git('commit', '--quiet', '--all', '--message', name);
      };
      branch('ours', `src/lib.${ending}`, after);
      branch('theirs', `src/caller.${ending}`, caller + use);
      const { clashes: found } = await findClashes(scene.root, 'main', 'ours', 'theirs');
      expect(found.length > 0).toBe(clashes);
      if (clashes)
        expect(found.map((one) => `${one.change.file} ${one.use.file}`)).toContain(
          `src/lib.${ending} src/caller.${ending}`,
        );
    } finally {
      scene.remove();
    }
  },
);

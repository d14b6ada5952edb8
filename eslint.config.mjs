import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** TypeScript does not report misspelled members of a literal that is spread. */
const noSpreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the members without the spread.',
};
/** The names that readers of this code misunderstood most often. */
const noEverydayName = {
  selector: 'Identifier[name=/^(tell|told|telling)([A-Z]|$)|(Tell|Told|Telling)([A-Z]|$)/]',
  message: 'Name it for what it does: report, notify, print, warn, log or send.',
};
const noDefaultExport = { selector: 'ExportDefaultDeclaration', message: 'Export by name: one thing, one name.' };

// Globals that are forbidden in pure layers: time, randomness, processes and the network must come in as data or ports.
const impureGlobals = [
  'fetch',
  'process',
  'crypto',
  'console',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
].map((name) => ({ name, message: 'A pure folder: hand it in as data or as a port.' }));
const impureProperties = [
  { object: 'Date', property: 'now', message: 'A pure folder: the clock is a port.' },
  { object: 'Math', property: 'random', message: 'A pure folder: chance is a port.' },
];
const wallClock = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'A pure folder: the clock is a port.' },
  { selector: 'CallExpression[callee.name="Date"]', message: 'A pure folder: the clock is a port.' },
];

/** A processor that blanks everything in a Svelte component except its scripts, and so keeps their line numbers. */
const svelteScripts = {
  meta: { name: 'svelte-scripts' },
  preprocess(text) {
    const blank = (part) => part.replace(/[^\n]/g, ' ');
    const parts = text.split(/(<script[^>]*>[\s\S]*?<\/script>)/);
    return [
      parts
        .map((part) => {
          const script = /^(<script[^>]*>)([\s\S]*)(<\/script>)$/.exec(part);
          return script === null ? blank(part) : blank(script[1]) + script[2] + blank(script[3]);
        })
        .join(''),
    ];
  },
  postprocess: (messages) => messages.flat(),
};

export default defineConfig(
  globalIgnores([
    '**/node_modules/',
    'dist/',
    'out/',
    'coverage/',
    '**/*.gen.*',
    'demo/sample/',
    'test/samples/',
    'bench/results/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // unbound-method can't know that the ports are objects of functions, none of which uses `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // no-unnecessary-condition treats a variable that only a callback assigns as a constant.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // The compiler option noPropertyAccessFromIndexSignature requires the brackets.
      '@typescript-eslint/dot-notation': 'off',
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', noSpreadLiteral],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', performance: 'readonly' } },
  },
  {
    files: ['test-reporters/**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { process: 'readonly', __dirname: 'readonly' } },
  },
  {
    files: ['test-reporters/jasmine.mjs'],
    languageOptions: { globals: { jasmine: 'readonly' } },
  },
  {
    files: ['{bin,scripts,demo}/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noEverydayName, noSpreadLiteral] },
  },
  {
    files: ['src/**/*.ts', 'webview-ui/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, noEverydayName, noSpreadLiteral] },
  },
  {
    files: ['src/{protocol,machines,compiler,workers,layout,language}/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', { globals: impureGlobals, checkGlobalObject: true }],
      'no-restricted-properties': ['error', ...impureProperties],
      'no-restricted-syntax': ['error', noDefaultExport, noEverydayName, noSpreadLiteral, ...wallClock],
    },
  },
  {
    // A function fits one screen or two. A longer one guards several things: split it by what it guards.
    files: ['{src,bin,scripts}/**/*.{ts,js,mjs}', 'webview-ui/src/**/*.{ts,svelte}'],
    rules: {
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: false, skipComments: false, IIFEs: true }],
    },
  },
  {
    // The typed rules need types that only svelte-check has, so only untyped rules run on these scripts.
    files: ['webview-ui/**/*.svelte'],
    languageOptions: { parser: tseslint.parser },
    processor: svelteScripts,
    rules: { 'no-undef': 'off', 'no-unused-vars': 'off', 'no-useless-assignment': 'off' },
  },
  {
    // dependency-cruiser doesn't see an `import type` in a .svelte file, because the compiler erases it first.
    files: ['webview-ui/**/*.{ts,svelte}'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(#(?!protocol/)|vscode$|node:)', message: 'The webview sees #protocol only.' }] },
      ],
    },
  },
  {
    // Unit tests do no I/O, except that they may read data of this repository.
    files: ['test/unit/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^node:(child_process|cluster|worker_threads|os|net|tls|dgram|http|http2|https|fs/promises)$',
              message: 'A unit test touches no world: it belongs in test/integration.',
            },
            { regex: '/integration/', message: 'A unit test imports nothing of the integration tests.' },
            {
              regex: '^node:fs$',
              importNamePattern: '^(mk|rm|append|copy|cp|rename|symlink|link|open|unlink|watch)',
              message: 'A unit test touches no world: it belongs in test/integration.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': 'off',
    },
  },
);

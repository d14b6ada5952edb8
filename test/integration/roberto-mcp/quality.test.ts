import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { extract } from '../../../src/roberto-mcp/parse/extract.ts';
import { type LanguageName, languageOf } from '../../../src/roberto-mcp/parse/languages.ts';
import { startBudget } from '../../../src/roberto-mcp/parse/time-budget.ts';
import { indexPaths } from '../../../src/roberto-mcp/resolve/index-paths.ts';
import { createResolver } from '../../../src/roberto-mcp/resolve/resolver.ts';
import {
  compare,
  ctagsDefinitions,
  drawFiles,
  type Found,
  hasUniversalCtags,
  ourDefinitions,
  type SymbolGroup,
} from './compare-definitions.ts';
import { fetched, missingCorpus, MODULES, pythonLibrary } from './corpora.ts';

const GOAL = 0.97;

interface Corpus {
  readonly language: LanguageName;
  readonly root: string | undefined;
  readonly pattern: string;
  readonly ctags: string;
  readonly groups: Readonly<Record<string, SymbolGroup>>;
  /** Definitions that, by design, only one of the tools finds. They are printed but not counted as errors. */
  readonly explained: readonly (readonly [kind: string, line: RegExp])[];
}

const corpora: readonly Corpus[] = [
  {
    language: 'python',
    root: pythonLibrary(),
    pattern: '**/*.py',
    ctags: 'Python',
    groups: { function: 'functions', member: 'functions', class: 'types' },
    explained: [['a lambda with a name', /=\s*lambda\b/u]],
  },
  {
    language: 'c',
    root: MODULES,
    pattern: '{*,@*/*}/{src,common,deps,lib,include}/**/*.c',
    ctags: 'C',
    groups: { function: 'functions', struct: 'types', union: 'types', enum: 'types', typedef: 'types' },
    explained: [],
  },
  {
    language: 'go',
    root: fetched('go'),
    pattern: '**/*.go',
    ctags: 'Go',
    groups: {
      func: 'functions',
      method: 'functions',
      methodSpec: 'functions',
      struct: 'types',
      interface: 'types',
      type: 'types',
      talias: 'types',
    },
    explained: [['a method of an interface that the other tool does not read', /\)\s*[\w(]/u]],
  },
  {
    language: 'rust',
    root: fetched('rust'),
    pattern: '**/src/**/*.rs',
    ctags: 'Rust',
    groups: {
      function: 'functions',
      method: 'functions',
      struct: 'types',
      enum: 'types',
      interface: 'types',
      typedef: 'types',
    },
    explained: [],
  },
  {
    language: 'java',
    root: fetched('java'),
    pattern: '**/*.java',
    ctags: 'Java',
    groups: { method: 'functions', class: 'types', interface: 'types', enum: 'types', annotation: 'types' },
    explained: [
      ['a record, which the other tool takes for a method', /\brecord\s/u],
      ['a method of an anonymous class, which the other tool leaves out', /^\s{6}/u],
    ],
  },
];

const percent = (part: number, rest: number): string => ((100 * part) / Math.max(1, part + rest)).toFixed(2);

describe('definitions against Universal Ctags', () => {
  const missing = hasUniversalCtags() ? null : 'Universal Ctags is not installed';
  test.each(corpora)('$language', async ({ language, root, pattern, ctags, groups, explained }) => {
    const reason = missing ?? missingCorpus(root);
    if (reason !== null || root === undefined) {
      console.log(`definitions of ${language} are not compared: ${reason ?? ''}`);
      return;
    }
    const files = drawFiles(root, pattern, 250);
    const comparisons = compare(
      await ourDefinitions(root, files, language),
      ctagsDefinitions(root, files, ctags, groups),
    );
    const kindOf = ({ file, line, local }: Found): string | null => {
      const text = readFileSync(join(root, file), 'utf8').split('\n')[line - 1] ?? '';
      return (
        explained.find(([, pattern]) => pattern.test(text))?.[0] ?? (local ? 'a definition inside a function' : null)
      );
    };
    for (const { group, common, missing: missed, extra } of comparisons) {
      const unexplained = (list: readonly Found[]): readonly Found[] => list.filter((one) => kindOf(one) === null);
      const [lost, added] = [unexplained(missed), unexplained(extra)];
      console.log(
        `${language} ${group}: ${files.length} files, ${common} in common, recall ${percent(common, lost.length)} %, precision ${percent(common, added.length)} % ` +
          `(${missed.length - lost.length} and ${extra.length - added.length} differences explained); ` +
          `only there: ${lost
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', ')}; only here: ${added
            .slice(0, 5)
            .map(({ name }) => name)
            .join(', ')}`,
      );
      expect(common).toBeGreaterThan(5);
      expect(common / (common + lost.length)).toBeGreaterThanOrEqual(GOAL);
      expect(common / (common + added.length)).toBeGreaterThanOrEqual(GOAL);
    }
  });
});

const TYPESCRIPT_FILES = (): readonly string[] =>
  drawFiles(MODULES, '{zod,ajv,@azure/*,@ai-sdk/*,@apidevtools/*}/{src,lib}/**/*.ts', 400).filter(
    (file) => !file.endsWith('.d.ts'),
  );

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function groupOf(node: ts.Node): SymbolGroup | null {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return 'functions';
  if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return 'functions';
  if (
    (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) &&
    isFunction(node.initializer)
  )
    return 'functions';
  if (
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node)
  )
    return 'types';
  return ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isClassExpression(node.initializer)
    ? 'types'
    : null;
}

function compilerDefinitions(file: string, source: ts.SourceFile): readonly Found[] {
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const group = groupOf(node);
    const name = (node as { readonly name?: ts.Node }).name;
    if (group !== null && name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) {
      const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
      found.push({ group, file, name: name.text.replace(/^#/u, ''), line: line + 1, local: false });
    }
    if (ts.isConstructorDeclaration(node))
      found.push({ group: 'functions', file, name: 'constructor', line: 1, local: false });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(join(MODULES, file), 'utf8'), ts.ScriptTarget.Latest, true);

test('definitions of TypeScript against its own compiler', async () => {
  const files = TYPESCRIPT_FILES();
  expect(files.length).toBeGreaterThan(200);
  const theirs = files.flatMap((file) => compilerDefinitions(file, parse(file)));
  for (const { group, common, missing, extra } of compare(await ourDefinitions(MODULES, files), theirs)) {
    console.log(
      `typescript ${group}: ${files.length} files, ${common} in common, recall ${percent(common, missing.length)} %, precision ${percent(common, extra.length)} %; ` +
        `only there: ${missing
          .slice(0, 8)
          .map(({ name, line, file }) => `${file}:${line} ${name}`)
          .join(', ')}; only here: ${extra
          .slice(0, 8)
          .map(({ name, line, file }) => `${file}:${line} ${name}`)
          .join(', ')}`,
    );
    expect(common).toBeGreaterThan(500);
    expect(common / (common + missing.length)).toBeGreaterThanOrEqual(GOAL);
    expect(common / (common + extra.length)).toBeGreaterThanOrEqual(GOAL);
  }
});

/**
 * Returns the identifiers of a file according to the TypeScript compiler; words in comments, strings and keywords are
 * not among them.
 */
function compilerIdentifiers(source: ts.SourceFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (node.text !== '') found.set(`${line}:${character} ${node.text}`, ts.SyntaxKind[node.parent.kind]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('references of TypeScript against the identifiers of its own compiler, every difference by kind', async () => {
  let common = 0;
  const missing = new Map<string, number>();
  const extra = new Map<string, number>();
  const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  for (const file of TYPESCRIPT_FILES()) {
    const text = readFileSync(join(MODULES, file), 'utf8');
    const theirs = compilerIdentifiers(parse(file));
    const { references } = await extract(languageOf(file, text), text, startBudget(10_000));
    const ours = new Set<string>();
    for (const [name, at] of references)
      for (let index = 0; index < at.length; index += 2) ours.add(`${at[index]!}:${at[index + 1]!} ${name}`);
    for (const [key, kind] of theirs)
      if (ours.has(key)) common += 1;
      else count(missing, kind);
    for (const key of ours) if (!theirs.has(key)) count(extra, key.replace(/^\S+ /u, ''));
  }
  const sum = (map: ReadonlyMap<string, number>): number => [...map.values()].reduce((a, b) => a + b, 0);
  const listed = (map: ReadonlyMap<string, number>): string =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 8)
      .map(([key, times]) => `${key} ${times}`)
      .join(', ');
  console.log(
    `typescript references: ${common} in common; only by the compiler (kind of parent): ${listed(missing)}; only here (name): ${listed(extra)}`,
  );
  expect(common).toBeGreaterThan(50_000);
  expect(sum(missing) / common).toBeLessThan(0.01);
  expect(sum(extra) / common).toBeLessThan(0.01);
});

test('imports of TypeScript against its own resolver', () => {
  const packages = [
    'zod',
    'ajv',
    '@azure/msal-common',
    '@azure/msal-browser',
    '@ai-sdk/provider',
    '@ai-sdk/openai',
    '@ai-sdk/provider-utils',
  ];
  let same = 0;
  const different: string[] = [];
  for (const name of packages) {
    const root = join(MODULES, name);
    const paths = globSync('**/*.{ts,mts,cts,tsx,js,mjs,cjs,json}', {
      cwd: root,
      exclude: (path) => path.includes('node_modules'),
    }).map((path) => path.replaceAll('\\', '/'));
    const resolver = createResolver(indexPaths(paths, (path) => readFileSync(join(root, path), 'utf8')));
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowJs: true,
      resolveJsonModule: true,
    };
    const cache = ts.createModuleResolutionCache(root, (path) => path, options);
    for (const path of paths.filter((one) => /^(?:src|lib)\/.*[^d]\.ts$/u.test(one) && !one.endsWith('.d.ts'))) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
      for (const { fileName } of importedFiles) {
        const { resolvedModule } = ts.resolveModuleName(fileName, join(root, path), options, ts.sys, cache);
        const theirs = resolvedModule === undefined ? '' : resolvedModule.resolvedFileName.replaceAll('\\', '/');
        const inside = theirs.startsWith(`${root.replaceAll('\\', '/')}/`) ? theirs.slice(root.length + 1) : '';
        const entry = { module: fileName, names: [], row: 0, reexport: false };
        const ours = resolver.resolve('typescript', path, entry)[0] ?? '';
        if (ours === inside) same += 1;
        else
          different.push(
            `${name}/${path}: ${fileName} -> ${ours === '' ? 'none' : ours}, compiler ${inside === '' ? 'none' : inside}`,
          );
      }
    }
  }
  console.log(
    `typescript imports: ${same} resolved alike, ${different.length} differently: ${different.slice(0, 10).join('; ')}`,
  );
  expect(same).toBeGreaterThan(1_000);
  expect(same / (same + different.length)).toBeGreaterThanOrEqual(0.99);
});

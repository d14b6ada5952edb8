import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/*
 * Checks those language rules of CONTRIBUTING.md that can be checked mechanically. It reports citations of files that
 * the repository does not contain, docstrings that are sentence fragments, metaphors where a technical term exists, and
 * undocumented exports of the library. Whether the English is plain is up to reviewers.
 */

const ROOT = join(import.meta.dirname, '..');

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

interface Comment {
  readonly line: number;
  readonly text: string;
  readonly isDoc: boolean;
}

const CITATIONS =
  /\b(?:spec\/[\w-]+(?:\.md)?|facts\/[\w-]+|findings\/|seeds? 00\d|habits\.md|decision record,? \d+|decisions? \d+\b)/;

const FRAGMENTS =
  /^(?:Of|By|To|For|In|On|With|Without|From|At|As|Into|Onto|Whoever|Whose|Told|Asked|Said|Nor|Also|So|But|And|Or)\b/;

const METAPHORS: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'name the caller, client or user'],
  [/\b(?:take|takes|taken|took) (?:it |them |that |this )?back\b/i, 'roll back, undo or restore'],
  [/\b(?:put|puts) (?:it |them |that |this )?back\b/i, 'restore'],
  [/\broomy\b/i, 'preallocated'],
  [/\bpatience\b/i, 'timeout'],
  [/\b(?:in|by) (?:nobody's|somebody's|another|other|whose) hands?\b/i, 'say which process or person'],
  [/\blooks? around\b/i, 'refresh'],
  [/\bnobody hears?\b/i, 'say who is not notified'],
  [/\b(?:is|are|was|been) told\b(?! apart)/i, 'notify, report, pass or log'],
];

const CODE = ['src/**/*.ts', 'bin/*', 'scripts/**/*.ts', 'webview-ui/src/**/*.ts', 'demo/*.ts'];

const TEXTS = ['*.md', 'docs/**/*.md', 'test/README.md', 'schemas/*'];

const listed = (globs: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...globs], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !file.includes('.gen.'));

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const plain = (text: string): string =>
  text
    .replaceAll(/^\/\*+|\*\/$|^[ \t]*\*+ ?|^[ \t]*\/\/ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the comments of a TypeScript file. Adjacent `//` lines count as one comment. */
function commentsOf(file: string, text: string): readonly Comment[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Comment>();
  const add = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      const line = source.getLineAndCharacterOfPosition(pos).line + 1;
      const raw = text.slice(pos, end);
      found.set(pos, { line, text: plain(raw), isDoc: raw.startsWith('/**') });
    }
  };
  const visit = (node: ts.Node): void => {
    add(ts.getLeadingCommentRanges(text, node.getFullStart()));
    add(ts.getTrailingCommentRanges(text, node.getEnd()));
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found.values()];
}

function findingsIn(file: string): readonly Finding[] {
  return commentsOf(file, read(file)).flatMap(({ line, text, isDoc }) => [
    ...(CITATIONS.test(text) ? [{ file, line, what: `cites what the repository does not hold: ${text}` }] : []),
    ...(isDoc && FRAGMENTS.test(text) ? [{ file, line, what: `begins with a fragment: ${text}` }] : []),
    ...METAPHORS.filter(([metaphor]) => metaphor.test(text)).map(([metaphor, word]) => ({
      file,
      line,
      what: `"${metaphor.exec(text)?.[0] ?? ''}": ${word} (${text})`,
    })),
  ]);
}

const citationsIn = (file: string): readonly Finding[] =>
  read(file)
    .split('\n')
    .flatMap((text, index) =>
      CITATIONS.test(text)
        ? [{ file, line: index + 1, what: `cites what the repository does not hold: ${text.trim()}` }]
        : [],
    );

/** Returns the exports of the library whose declaration has no docstring. */
function undocumented(): readonly Finding[] {
  const door = join(ROOT, 'src/index.ts');
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => readFileSync(file, 'utf8')) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram([door], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(door);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error('src/index.ts has no exports');
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return ts.displayPartsToString(own.getDocumentationComment(checker)) === ''
      ? [{ file: 'src/index.ts', line: 1, what: `${symbol.name} has no docstring` }]
      : [];
  });
}

const findings = [...listed(CODE).flatMap(findingsIn), ...listed(TEXTS).flatMap(citationsIn), ...undocumented()];
for (const { file, line, what } of findings) console.log(`${file}:${line} ${what.slice(0, 160)}`);
if (findings.length > 0) {
  console.log(`${findings.length} findings; the rules are in CONTRIBUTING.md`);
  process.exitCode = 1;
}

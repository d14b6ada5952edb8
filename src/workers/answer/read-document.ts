import { answerLines, fileText } from './answer-lines.ts';
import { documentIn, documentStart, isTop } from './document.ts';
import { fenceLines } from './fence-line.ts';
import { onlyFiles, problem, type Reading, refusing } from './found.ts';
import { readInfo } from './info-string.ts';
import { isProseFile } from './languages.ts';
import { readFiles } from './read-files.ts';
import { readLabel } from './label-line.ts';
import { splitAnswer } from './split-answer.ts';

const DOCUMENTS: ReadonlySet<string> = new Set([
  ...['md', 'markdown', 'mdx', 'rst', 'adoc', 'asciidoc', 'txt', 'text'],
]);

/**
 * Returns true if a fenced block with a document begins before any heading, so that the block contains the whole
 * document.
 */
function isWrapped(lines: readonly string[]): boolean {
  const [first] = fenceLines(lines);
  if (first === undefined) return lines.slice(0, 20).some((line) => /^\s*(?:<\w+ [^>]*(?:path|name)=|[{[])/.test(line));
  const { language, path } = readInfo(first.info);
  const label = readLabel(
    ((lines[first.at - 1] ?? '').trim() === '' ? lines[first.at - 2] : lines[first.at - 1]) ?? '',
  );
  const before = label.kind === 'file' ? label.path : null;
  const name = path ?? before;
  const isBare = language === '' && isTop(lines[first.at + 1] ?? '');
  const isDocument = name === null ? DOCUMENTS.has(language) || isBare : isProseFile(name);
  const start = documentStart(lines);
  return isDocument && (start === null || start > first.at || (before !== null && start >= first.at - 2));
}

/**
 * Reads the document of an answer, with or without a fence around it. If one document is requested, the only block of
 * the answer is read as this document, whatever the words above it say.
 */
export function readDocument(text: string, path: string | null): Reading {
  const lines = answerLines(text);
  if (lines === null) return refusing(problem('truncated', '', 'the answer ended while the model was still thinking'));
  if (isWrapped(lines)) {
    const reading = readFiles(text, path);
    if (reading.ok || path === null) return reading;
    const split = splitAnswer(lines);
    if ('problem' in split) return reading;
    const [only, ...others] = split.blocks;
    if (only?.kind === 'fence' && others.length === 0)
      return onlyFiles([{ path, announced: 'described', content: fileText(only.lines) }]);
    if (only !== undefined) return reading;
  }
  const document = documentIn(lines);
  if (document === null)
    return refusing(
      problem(
        'no_document',
        '',
        'the answer has no heading and no rule (---), so it is unclear where the document begins',
      ),
    );
  return path === null
    ? refusing(
        problem(
          'no_files',
          '',
          'the path of the document is unknown. Set the "artifact" of the block to one file, or put the document in a fence with its path',
        ),
      )
    : onlyFiles([{ path, announced: 'stated', content: fileText(document) }]);
}

import sax from 'sax';
import { collectFindings, type Report } from './finding.ts';
import { type Attributes, junitResults } from './junit.ts';
import { trxResults } from './trx.ts';

type Results = ReturnType<typeof junitResults> | ReturnType<typeof trxResults>;

const localName = (name: string): string => name.split(':').at(-1) ?? name;

/** Returns a collector for a document by its root element, or null for documents that are no reports. */
function resultsFor(root: string): Results | null {
  if (root === 'testsuites' || root === 'testsuite') return junitResults();
  return root === 'TestRun' ? trxResults() : null;
}

/**
 * Parses a report in XML: of JUnit's format, which most runners write, or of Visual Studio's. The parser is strict and
 * expands no entities that the document declares. Returns null for other documents.
 */
export function parseXmlReport(xml: string): Report | null {
  const parser = sax.parser(true);
  let results: Results | null = null;
  let hasRoot = false;
  let problem: string | null = null;
  parser.onopentag = ({ name, attributes }) => {
    const local = localName(name);
    if (!hasRoot) results = resultsFor(local);
    hasRoot = true;
    results?.open(local, attributes as Attributes);
  };
  parser.ontext = (text) => results?.text(text);
  parser.oncdata = (text) => results?.text(text);
  parser.onclosetag = (name) => results?.close(localName(name));
  parser.onerror = (error) => {
    problem ??= error.message.split('\n', 1).join('');
    // The parser goes on, so that the tests before a cut are read.
    parser.resume();
  };
  parser.write(xml).close();
  const whatIsWrong = problem === null ? null : `it is not complete: ${String(problem)}`;
  const read = results as Results | null;
  if (read !== null) return read.report(whatIsWrong);
  return hasRoot ? null : collectFindings().report('xml', null, 'it has no results');
}

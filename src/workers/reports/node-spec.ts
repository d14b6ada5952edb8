import { collectFindings, type LineReader, NOWHERE, type Place } from './finding.ts';
import { NO_MESSAGE, type NodeCrash, nodeCrashes } from './node-crashes.ts';
import { readPlace } from './place.ts';

const MOST_LINES = 30;

const COUNT = /^ℹ (pass|fail|skipped|todo) ([0-9]{1,9})$/;

/** Returns the name in a line such as `✖ name (1.2ms)`. */
const bare = (text: string): string => {
  const name = text.slice(2);
  const open = name.lastIndexOf(' (');
  return open >= 0 && name.endsWith('ms)') ? name.slice(0, open) : name;
};

/** Reads the `spec` output of `node --test`. */
export function nodeSpecReader(): LineReader {
  const crashes = nodeCrashes();
  /** The crashes by the test file whose process they ended. */
  const crashed = new Map<string, NodeCrash>();
  const findings = collectFindings();
  const summary = new Map<string, number>();
  let isList = false;
  let place: Place = NOWHERE;
  let open: { readonly name: string; readonly place: Place; readonly lines: string[]; isTrace: boolean } | null = null;

  const settle = (): void => {
    if (open === null) return;
    const { name, lines } = open;
    const message = lines.join('\n');
    const crash = NO_MESSAGE.test(message) ? crashed.get(name) : undefined;
    findings.add({ ...(crash ?? open.place), name, message: crash?.message ?? (message || 'failed') });
    open = null;
  };

  const inList = (line: string): void => {
    if (line.startsWith('test at ')) {
      settle();
      place = readPlace(line.slice('test at '.length)) ?? NOWHERE;
    } else if (line.startsWith('✖ ')) {
      settle();
      open = { name: bare(line), place, lines: [], isTrace: false };
    } else if (line.startsWith('⚠ ')) settle();
    else if (open !== null && line.startsWith('  ')) {
      open.isTrace ||= line.startsWith('      at ');
      if (!open.isTrace && open.lines.length < MOST_LINES) open.lines.push(line.slice(2));
    }
  };

  return {
    line: (line) => {
      const count = line.startsWith('ℹ ') ? COUNT.exec(line) : null;
      if (count !== null) summary.set(count[1] ?? '', Number(count[2]));
      else if (line === '✖ failing tests:') isList = true;
      else if (isList) inList(line);
      else if (line.startsWith('✖ ')) {
        const crash = crashes.take();
        if (crash !== null) crashed.set(bare(line), crash);
      } else crashes.line(line);
    },
    report: () => {
      settle();
      const failed = summary.get('fail');
      if (failed === undefined) return null;
      const skipped = (summary.get('skipped') ?? 0) + (summary.get('todo') ?? 0);
      return findings.report('node-spec', { passed: summary.get('pass') ?? 0, failed, skipped });
    },
  };
}

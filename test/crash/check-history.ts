import { checkEffects } from './check-effects.ts';
import type { History, Left, Plan } from './history.ts';
import type { Reference } from './reference.ts';

const lines = ({ entries }: Left): readonly string[] => entries.map((entry) => JSON.stringify(entry));

/** Reports journal lines that a later process changed or lost. A journal may only grow. */
function checkGrowth(history: History, task: number): readonly string[] {
  const lives = [...history.wrecks.map(({ runs }) => runs), history.ends].map((runs) => runs[task] ?? null);
  const problems: string[] = [];
  let before: readonly string[] = [];
  for (const left of lives) {
    const now = left === null ? [] : lines(left);
    const parted = before.findIndex((line, index) => now[index] !== line);
    if (parted !== -1)
      problems.push(`line ${parted + 1} of the journal was ${before[parted]} and became ${now[parted]}`);
    before = now;
  }
  return problems;
}

/** Compares two long texts and reports an excerpt of both around their first difference. */
function differ(what: string, wanted: string, found: string): readonly string[] {
  if (wanted === found) return [];
  let at = 0;
  while (wanted[at] === found[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 300), at + 300);
  return [`${what}:\n  wanted …${around(wanted)}…\n  found  …${around(found)}…`];
}

const nameless = (file: string, task: number | null): string =>
  file
    .replace(/^runs\/r([0-9a-f]{2})[0-9a-f]{10}/, (_, of: string) => `runs/RUN${task ?? Number.parseInt(of, 16)}`)
    .replace(/flow_state_r[0-9a-f]{12}/, 'flow_state_RUN');

/**
 * Reports files that do not remain after uninterrupted runs: temporary files, folders without a run, state of closed
 * frames.
 */
function checkFiles(history: History, references: readonly Reference[], place: Plan['place']): readonly string[] {
  const wanted = new Set(
    references.flatMap(({ history: alone }, task) => alone.end.files.map((file) => nameless(file, task))),
  );
  const found = history.end.files.map((file) => nameless(file, references.length === 1 ? 0 : null));
  // A complete engine has lock, control and log files that a store alone doesn't have. It also keeps temporary files
  // for an hour, because another process may still be writing them.
  const isOfEngine = (file: string): boolean =>
    /^(?:engine\.lock\/.*|intent\.lock|control\/|logs\/|logs\/events(?:\.\d+)?\.jsonl)$|\.tmp$/.test(file);
  for (const file of found) if (place === 'engine' && isOfEngine(file)) wanted.add(file);
  // The log that several runs share is emptied only when it is full or when an engine opens it.
  if (references.length > 1) wanted.add('shared-log.jsonl');
  // Checkpoints of frames may be outdated while a run waits, so their files count only after the end.
  const isOver = history.ends.every((left) => left?.entries.some(({ type }) => type === 'end'));
  const isLeft = (file: string): boolean => !wanted.has(file) && (isOver || !file.includes('#'));
  return found.filter(isLeft).map((file) => `${file} was left behind`);
}

/** Returns the problems with a history; an empty list means that there are none. */
export function checkHistory(
  { cases, conduct, place }: Plan,
  history: History,
  references: readonly Reference[],
): readonly string[] {
  const problems = cases.flatMap((one, task) => {
    const report = history.end.runs[task];
    const reference = references[task];
    if (report === undefined || reference === undefined) return [`${one.id}: nothing was reported`];
    // While one branch waits for a person, the others continue, so the order of events and the cancelled branches
    // differ from the reference.
    const comparable = !(report.asked && one.forks);
    const settled = report.outcome === 'settled' && comparable;
    const { response, summary } = reference.report;
    return [
      ...(settled ? differ('Response', response, report.response) : []),
      ...(settled ? differ('summary', summary, report.summary) : []),
      ...differ('replay', 'same', report.replay),
      ...differ('Response of the replay', report.response, report.replayed),
      ...checkEffects(history, {
        task,
        conduct,
        settled,
        comparable,
        forks: one.forks,
        reference: reference.history.effects,
      }),
      ...checkGrowth(history, task),
    ].map((problem) => `${one.id}: ${problem}`);
  });
  const isSettled = history.end.runs.every(({ outcome }) => outcome === 'settled');
  return [
    ...problems,
    ...(isSettled ? checkFiles(history, references, place) : []),
    ...history.end.warnings.map((warning) => `warning: ${warning}`),
  ];
}

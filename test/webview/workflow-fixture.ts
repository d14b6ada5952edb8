import type {
  RowAction,
  ViewBlock,
  ViewGraph,
  ViewNode,
  ViewRow,
  WorkerKind,
} from '../../src/protocol/generated/view.gen.ts';

const KINDS: Readonly<Record<string, WorkerKind>> = {
  a: 'ai',
  b: 'built-in',
  c: 'command',
  p: 'person',
};

/**
 * Nodes in a short notation, with one block per line: name, kind and rows. A row is a signal and `>block`, `=node`
 * (CALL), `+node+node` (FORK), `^` (RETURN) or `!` (HALT).
 */
const TEXT = `
Feature_Implement
  ReadTask b SUCCESS>PlanChange
  PlanChange a SUCCESS>ApprovePlan NEEDS_REFINEMENT>ReadTask FAIL_DEFAULT!
  ApprovePlan p SUCCESS>GenerateCode REJECTED>PlanChange
  GenerateCode a SUCCESS>WriteFiles NEEDS_REFINEMENT>PlanChange FAIL_DEFAULT!
  WriteFiles b SUCCESS=Test_Fix FAILURE!
  RefineCode a SUCCESS>ReviewChange NEEDS_REFINEMENT>RefineCode FAIL_DEFAULT!
  ReviewChange b SUCCESS+Review_Security+Review_Style+Review_Speed
  JoinFindings a SUCCESS>Deliver NEEDS_REFINEMENT>GenerateCode FINDINGS>RefineCode
  Deliver b SUCCESS=Integrate
  Summarise a SUCCESS^
Test_Fix
  RunTests c SUCCESS^ FAILURE>ReadFailures TIMEOUT!
  ReadFailures b SUCCESS>ProposeFix
  ProposeFix a SUCCESS>ApplyFix NEEDS_CONTEXT>WidenSlice FAIL_DEFAULT!
  ApplyFix b SUCCESS>RunTests FAILURE=Troubleshoot
  WidenSlice b SUCCESS>ProposeFix
Lint_Fix
  RunLint c SUCCESS^ FAILURE>AutoFix
  AutoFix c SUCCESS>RunLint FAILURE>FixByHand
  FixByHand a SUCCESS>RunLint FAIL_DEFAULT!
Troubleshoot
  Reproduce c SUCCESS>Bisect FAILURE>AskPerson
  Bisect a SUCCESS>Explain UNSURE>Reproduce
  Explain a SUCCESS>RecordCause NEEDS_CONTEXT>Reproduce
  RecordCause b SUCCESS^
  AskPerson p ANSWERED>Explain
Review_Security
  CollectDiff b SUCCESS>InspectInputs
  InspectInputs a SUCCESS>InspectSecrets FINDINGS>JudgeRisk
  InspectSecrets a SUCCESS>JudgeRisk
  JudgeRisk a SUCCESS^ ERROR!
Review_Style
  CollectStyle b SUCCESS>CompareNames
  CompareNames a SUCCESS>JudgeStyle
  JudgeStyle a SUCCESS^
Review_Speed
  FindHotPaths a SUCCESS>Measure
  Measure c SUCCESS>JudgeSpeed NOISY>Measure
  JudgeSpeed a SUCCESS^ NEEDS_MORE>Measure
Docs_Update
  FindDocs b SUCCESS>DraftDocs
  DraftDocs a SUCCESS>CheckLinks
  CheckLinks c SUCCESS>WriteDocs FAILURE>DraftDocs
  WriteDocs b SUCCESS^
Integrate
  UpdateFromBase b SUCCESS>RebuildIndex CONFLICT>ResolveConflict
  ResolveConflict a SUCCESS>RebuildIndex FAIL_DEFAULT!
  RebuildIndex b SUCCESS>RunAllTests
  RunAllTests c SUCCESS>ApproveMerge FAILURE>ResolveConflict
  ApproveMerge p SUCCESS>Merge REJECTED>UpdateFromBase
  Merge b SUCCESS^
Release_Notes
  CollectCommits b SUCCESS>GroupChanges
  GroupChanges a SUCCESS>DraftNotes
  DraftNotes a SUCCESS>CheckFacts
  CheckFacts a SUCCESS>WriteNotes WRONG>DraftNotes
  WriteNotes b SUCCESS^
Dependency_Update
  ListOutdated c SUCCESS>ChooseUpdate
  ChooseUpdate a SUCCESS>ApplyUpdate NONE^
  ApplyUpdate b SUCCESS>CheckLicences FAILURE>ChooseUpdate
  CheckLicences b SUCCESS>MoreUpdates
  MoreUpdates b YES>ChooseUpdate NO>CloseUpdate
  CloseUpdate b SUCCESS^
`;

const id = (node: string, name: string): string => `${node}__${name}`;

function actionOf(node: string, text: string, next: string | null): RowAction {
  const rest = text.slice(1);
  if (text.startsWith('>')) return { kind: 'jump', block: rest.includes('__') ? rest : id(node, rest) };
  if (text.startsWith('=')) return { kind: 'call', node: rest, returnTo: next };
  if (text.startsWith('+')) return { kind: 'fork', nodes: rest.split('+'), returnTo: next };
  return text.startsWith('^') ? { kind: 'return' } : { kind: 'halt' };
}

function rowOf(node: string, text: string, next: string | null): ViewRow {
  const at = text.search(/[>=+^!]/);
  return { signal: text.slice(0, at), condition: null, action: actionOf(node, text.slice(at), next), source: null };
}

/** Parses the notation above. */
function readGraph(text: string, hash: string): ViewGraph {
  const nodes: { readonly name: string; readonly lines: string[][] }[] = [];
  let line = 0;
  for (const row of text.split('\n')) {
    if (row.trim() === '') continue;
    if (row.startsWith(' ')) nodes.at(-1)?.lines.push(row.trim().split(' '));
    else nodes.push({ name: row, lines: [] });
  }
  const place = () => ({ file: '.vision/workflows.json', line: (line += 1), column: 5 });
  return {
    hash,
    entry: nodes[0]?.name ?? null,
    inputs: [],
    nodes: nodes.map(({ name: node, lines }): ViewNode => ({
      id: node,
      entryBlock: id(node, lines[0]?.[0] ?? ''),
      source: place(),
      blocks: lines.map(([name = '', kind = 'a', ...rows], index): ViewBlock => {
        const next = lines[index + 1]?.[0];
        return {
          id: id(node, name),
          name,
          kind: KINDS[kind] ?? 'ai',
          worker: kind === 'a' ? 'Fixer' : '',
          gate: kind === 'p',
          timeoutMs: kind === 'a' ? 600_000 : null,
          source: place(),
          rows: rows.map((row) => rowOf(node, row, next === undefined ? null : id(node, next))),
        };
      }),
    })),
  };
}

/** Returns a hand-written workflow of ten nodes and 54 blocks. */
export const workflowGraph = (): ViewGraph => readGraph(TEXT, 'workflow-54');

const VERBS = [
  'Refine',
  'Fix',
  'Split',
  'Lint',
  'Write',
  'Ask',
  'Gate',
  'Check',
  'Test',
  'Measure',
  'Publish',
  'Review',
];
const NOUNS = ['Tests', 'Report', 'Notes', 'Contract', 'Schema', 'Index', 'Fixtures', 'Patch', 'Code', 'Types'];

/** Returns a large graph: lanes of 5 to 15 blocks, with jumps back, calls and halts. */
export function largeGraph(blocks: number): ViewGraph {
  const lines: string[] = [];
  let left = blocks;
  for (let node = 0; left > 0; node += 1) {
    const size = Math.min(left, 5 + ((node * 7) % 11));
    lines.push(`${VERBS[node % 12]}_${NOUNS[(node * 3) % 10]}_${node + 1}`);
    for (let at = 0; at < size; at += 1) {
      const rows: string[] = [];
      if (at < size - 1) rows.push(`SUCCESS>Step${at + 1}`);
      else rows.push('SUCCESS^');
      if (at % 3 === 1 && at + 2 < size) rows.push(`SKIP>Step${at + 2}`);
      if (at % 4 === 2) rows.push(`RETRY>Step${Math.max(0, at - 2)}`);
      if (at % 5 === 3) rows.push('FAIL_DEFAULT!');
      lines.push(`  Step${at} ${'abca'[at % 4]} ${rows.join(' ')}`);
    }
    left -= size;
  }
  return readGraph(lines.join('\n'), `large-${blocks}`);
}

import type { Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import { ERROR, FAIL_DEFAULT, NO_SIGNAL, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';

/**
 * The requirements for an interpreter that runs the document. They are part of the document, because its readers may
 * have no other documentation.
 */
const CONTRACT = `  <!--
    One session of this document is one frame of a run. What its interpreter must provide:
    - An invoker of the type "worker" runs a block's worker and sends one event, signal.NAME for SIGNAL:NAME, or
      signal.NAME.engine if the signal comes from the engine: a worker that failed, or an answer that cannot be used.
    - An invoker of the type "node" starts a session of this document in the state that src names.
    - condition(id, ...args) tells whether a condition of the manifest holds.
    - Limits, gates and retries are the invokers'. error.platform.frame ends a frame, and error.platform.run ends the run.
    - A person answers a halt with answer.retry, answer.next, answer.jump.STATE or answer.abort.
  -->`;

/**
 * Exports a workflow as SCXML. SCXML takes the first matching transition in document order, and an event matches every
 * prefix of its name. The rows of FAIL_DEFAULT are therefore written last, so that the document makes the same
 * decisions as the manifest.
 */
export function toScxml(graph: Graph): string {
  const names = stateNames(graph);
  const entry = graph.entry ?? graph.nodes[0]?.id;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"${entry === undefined ? '' : ` initial="${names(entry)}"`}>`,
    CONTRACT,
    '  <state id="frame.nodes">',
    ...graph.nodes.flatMap((node) => nodeLines(node, names)).map((line) => `  ${line}`),
    ...frameRows(graph, names),
    '  </state>',
    ...ENDS.map(endLine),
    '</scxml>',
    '',
  ].join('\n');
}

/** The final states of a session, with the outcome that a caller reads from the event `done.invoke`. */
const ENDS = [
  ['frame.returned', 'returned'],
  ['frame.failed', 'failed'],
  ['run.failed', 'run_failed'],
] as const;

const endLine = ([id, outcome]: (typeof ENDS)[number]): string =>
  `  <final id="${id}"><donedata><content expr="'${outcome}'"/></donedata></final>`;

/** Returns the name of the event for a signal. The default row matches every signal. */
const eventOf = (signal: string): string =>
  signal === FAIL_DEFAULT ? 'signal' : signal.replace(/^SIGNAL:/, 'signal.');

const fromEngine = (signal: string): string => `${eventOf(signal)}.engine`;

const ENGINE_SIGNALS = [ERROR, TIMEOUT, VALIDATION_FAIL, NO_SIGNAL].map(fromEngine).join(' ');

/**
 * Returns the transitions that apply in every block: for a signal without a row, for a limit, and for answers that jump
 * to a block.
 */
const frameRows = (graph: Graph, names: NameOf): readonly string[] => [
  `    <transition event="${ENGINE_SIGNALS}" target="frame.failed"/>`,
  '    <transition event="signal error.platform.run answer.abort" target="run.failed"/>',
  '    <transition event="error" target="frame.failed"/>',
  ...graph.nodes
    .flatMap(({ blocks }) => blocks)
    .map(({ id }) => `    <transition event="answer.jump.${names(id)}" target="${names(id)}"/>`),
];

type NameOf = (id: string) => string;

/**
 * Returns a function that maps the ids of the manifest to state ids, which must be valid XML names. An id that is not a
 * valid XML name is replaced by one with a dot; ids in manifests have no dots. No state id is the id of a state with a
 * `done.state` transition plus a dot and a suffix, because a transition for the event `done.state.a` also matches
 * `done.state.a.b`.
 */
function stateNames(graph: Graph): NameOf {
  const names = new Map<string, string>();
  graph.nodes.forEach((node, nodeIndex) => {
    names.set(node.id, xmlName(node.id) ?? `unnamed.node.${nodeIndex}`);
    node.blocks.forEach((block, index) =>
      names.set(block.id, xmlName(block.id) ?? `unnamed.block.${nodeIndex}.${index}`),
    );
  });
  return (id) => names.get(id) ?? 'unknown.state';
}

const xmlName = (id: string): string | null => (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(id) ? id : null);

const escaped = (raw: string): string =>
  raw
    // eslint-disable-next-line no-control-regex -- XML 1.0 cannot hold them at all
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'\t\n\r\u202a-\u202e\u2066-\u2069]/g, (character) => `&#${character.charCodeAt(0)};`);

const nodeLines = (node: GraphNode, names: NameOf): readonly string[] => [
  `  <state id="${names(node.id)}" initial="${names(node.entryBlock)}">`,
  ...node.blocks.flatMap((block) => blockLines(block, names)),
  `    <final id="${names(node.id)}.return"/>`,
  `    <transition event="done.state.${names(node.id)}" target="frame.returned"/>`,
  '  </state>',
];

function blockLines(block: GraphBlock, names: NameOf): readonly string[] {
  const id = names(block.id);
  const rows = inLookUpOrder(block.transitions);
  return [
    `    <state id="${id}">`,
    `      <invoke type="worker" id="${id}.worker" src="${escaped(block.worker)}"/>`,
    ...(rows.length === 0 ? returnOnAny(block, names) : rows.map((row) => rowLine(row, block, names))),
    nextLine(block, names),
    '    </state>',
    ...rows.flatMap((row) => actionStates(row, block, names)),
    ...(rows.some(opensChildren) ? errorState(block, rows, names) : []),
  ];
}

const returnOnAny = (block: GraphBlock, names: NameOf): readonly string[] => [
  `      <transition event="${ENGINE_SIGNALS}" target="frame.failed"/>`,
  `      <transition event="signal" target="${names(block.node)}.return"/>`,
];

const nextLine = (block: GraphBlock, names: NameOf): string =>
  `      <transition event="answer.next" target="${backTo(block.next, block, names)}"/>`;

const isExact = (row: Transition): boolean => row.signal !== FAIL_DEFAULT;

const inLookUpOrder = (rows: readonly Transition[]): readonly Transition[] => [
  ...rows.filter(isExact),
  ...rows.filter((row) => !isExact(row)),
];

const opensChildren = ({ action }: Transition): boolean => action.kind === 'call' || action.kind === 'fork';

/** The state after a failed child: the block's rows are looked up once more, without its worker. */
const errorState = (block: GraphBlock, rows: readonly Transition[], names: NameOf): readonly string[] => [
  `    <state id="${names(block.id)}.error">`,
  `      <onentry><raise event="${fromEngine(ERROR)}"/></onentry>`,
  ...rows.filter((row) => row.signal === ERROR || !isExact(row)).map((row) => rowLine(row, block, names)),
  '    </state>',
];

/** Escapes a text for an XML comment. Hyphens are replaced, because XML allows no `--` in a comment. */
const commentText = (raw: string): string => escaped(raw).replaceAll('-', '\u2011');

function rowLine(row: Transition, block: GraphBlock, names: NameOf): string {
  const call =
    row.condition === null
      ? null
      : [row.condition.id, ...row.condition.args].map((part) => JSON.stringify(part)).join(', ');
  const condition = call === null ? '' : ` cond="${escaped(`condition(${call})`)}"`;
  const means = row.means === undefined ? '' : ` <!-- ${commentText(row.means)} -->`;
  return `      <transition event="${eventOf(row.signal)}"${condition} target="${targetOf(row, block, names)}"/>${means}`;
}

function targetOf({ action, row }: Transition, block: GraphBlock, names: NameOf): string {
  switch (action.kind) {
    case 'jump':
      return names(action.target);
    case 'return':
      return `${names(block.node)}.return`;
    case 'call':
    case 'fork':
    case 'halt':
      return `${names(block.id)}.${action.kind}.${row}`;
  }
}

const backTo = (target: string | null, block: GraphBlock, names: NameOf): string =>
  target === null ? `${names(block.node)}.return` : names(target);

function actionStates(transition: Transition, block: GraphBlock, names: NameOf): readonly string[] {
  const { action } = transition;
  const id = targetOf(transition, block, names);
  const error = `${names(block.id)}.error`;
  switch (action.kind) {
    case 'jump':
    case 'return':
      return [];
    case 'call':
      return [
        `    <state id="${id}">`,
        ...childLines(id, names(action.node), { returned: backTo(action.returnTo, block, names), error }),
        '    </state>',
      ];
    case 'fork':
      return [
        `    <parallel id="${id}">`,
        ...action.nodes.flatMap((node, branch) =>
          branchLines(`${names(block.id)}.branch.${transition.row}.${branch}`, names(node), error),
        ),
        `      <transition event="done.state.${id}" target="${backTo(action.returnTo, block, names)}"/>`,
        '    </parallel>',
      ];
    case 'halt':
      return [
        `    <state id="${id}">`,
        `      <transition event="answer.retry" target="${names(block.id)}"/>`,
        nextLine(block, names),
        '    </state>',
      ];
  }
}

/** Returns the lines of a child frame, with the transitions for its outcomes. */
const childLines = (
  id: string,
  node: string,
  to: { readonly returned: string; readonly error: string },
): readonly string[] => [
  `      <invoke type="node" id="${id}.child" src="#${node}"/>`,
  `      <transition event="done.invoke.${id}.child" cond="_event.data === 'returned'" target="${to.returned}"/>`,
  `      <transition event="done.invoke.${id}.child" cond="_event.data === 'failed'" target="${to.error}"/>`,
  `      <transition event="done.invoke.${id}.child" target="run.failed"/>`,
];

const branchLines = (id: string, node: string, error: string): readonly string[] => [
  `      <state id="${id}" initial="${id}.running">`,
  `        <state id="${id}.running">`,
  ...childLines(id, node, { returned: `${id}.done`, error }).map((line) => `    ${line}`),
  '        </state>',
  `        <final id="${id}.done"/>`,
  '      </state>',
];

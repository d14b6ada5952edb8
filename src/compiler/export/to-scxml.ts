import type { Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import { FAIL_DEFAULT } from '#protocol/signal.ts';

/**
 * SCXML takes the first matching transition in document order and `*` matches any event; so with the rows of
 * FAIL_DEFAULT last, the document decides as the manifest does.
 */
export function toScxml(graph: Graph): string {
  const names = stateNames(graph);
  const entry = graph.entry ?? graph.nodes[0]?.id;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"${entry === undefined ? '' : ` initial="${names(entry)}"`}>`,
    ...graph.nodes.flatMap((node) => nodeLines(node, names)),
    '</scxml>',
    '',
  ].join('\n');
}

type NameOf = (id: string) => string;

/** State ids are XML names; an id that is none gets one with a dot, which no id of a manifest can have. */
function stateNames(graph: Graph): NameOf {
  const names = new Map<string, string>();
  graph.nodes.forEach((node, nodeIndex) => {
    names.set(node.id, xmlName(node.id) ?? `node.${nodeIndex}`);
    node.blocks.forEach((block, index) => names.set(block.id, xmlName(block.id) ?? `node.${nodeIndex}.block.${index}`));
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
  '  </state>',
];

function blockLines(block: GraphBlock, names: NameOf): readonly string[] {
  const id = names(block.id);
  const rows = [...block.transitions.filter(isExact), ...block.transitions.filter((row) => !isExact(row))];
  return [
    `    <state id="${id}">`,
    `      <invoke type="worker" id="${id}.worker" src="${escaped(block.worker)}"/>`,
    ...(rows.length === 0
      ? [`      <transition event="*" target="${names(block.node)}.return"/>`]
      : rows.map((row) => rowLine(row, block, names))),
    '    </state>',
    ...rows.flatMap((row) => actionStates(row, block, names)),
  ];
}

const isExact = (row: Transition): boolean => row.signal !== FAIL_DEFAULT;

function rowLine(row: Transition, block: GraphBlock, names: NameOf): string {
  const event = isExact(row) ? row.signal : '*';
  const call =
    row.condition === null
      ? null
      : [row.condition.id, ...row.condition.args].map((part) => JSON.stringify(part)).join(', ');
  const condition = call === null ? '' : ` cond="${escaped(`condition(${call})`)}"`;
  return `      <transition event="${event}"${condition} target="${targetOf(row, block, names)}"/>`;
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

function actionStates(transition: Transition, block: GraphBlock, names: NameOf): readonly string[] {
  const { action } = transition;
  const id = targetOf(transition, block, names);
  const backTo = (target: string | null): string => (target === null ? `${names(block.node)}.return` : names(target));
  switch (action.kind) {
    case 'jump':
    case 'return':
      return [];
    case 'call':
      return [
        `    <state id="${id}">`,
        `      <invoke type="node" id="${id}.child" src="#${names(action.node)}"/>`,
        `      <transition event="done.invoke.${id}.child" target="${backTo(action.returnTo)}"/>`,
        '    </state>',
      ];
    case 'fork':
      return [
        `    <parallel id="${id}">`,
        ...action.nodes.flatMap((node, branch) => branchLines(`${id}.${branch}`, names(node))),
        `      <transition event="done.state.${id}" target="${backTo(action.returnTo)}"/>`,
        '    </parallel>',
      ];
    case 'halt':
      return [
        `    <state id="${id}">`,
        `      <transition event="answer.retry" target="${names(block.id)}"/>`,
        `      <transition event="answer.next" target="${backTo(block.next)}"/>`,
        '    </state>',
      ];
  }
}

const branchLines = (id: string, node: string): readonly string[] => [
  `      <state id="${id}" initial="${id}.running">`,
  `        <state id="${id}.running">`,
  `          <invoke type="node" id="${id}.child" src="#${node}"/>`,
  `          <transition event="done.invoke.${id}.child" target="${id}.done"/>`,
  '        </state>',
  `        <final id="${id}.done"/>`,
  '      </state>',
];

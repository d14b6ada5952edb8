import type { BlockContext, BlockFacts, Conversation, ViewState } from '../../src/protocol/generated/view.gen.ts';
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { baseState, contextOf, conversationOf, factsOf, haltedState, haltView, integration } from './state-fixture.ts';
import { workflowGraph } from './workflow-fixture.ts';

const MARKUP = [
  '<img src=x onerror="globalThis.hacked=1">',
  '<script>globalThis.hacked=1</script>',
  '[a](javascript:globalThis.hacked=1)',
  '{@html "<b>"}',
  '"><svg/onload=globalThis.hacked=1>',
  '\u001b[31mred\u001b]0;title\u0007',
  '\u202efdp.exe\u202c\u2066',
].join(' ');

export const HOSTILE = {
  markup: MARKUP,
  long: `<b>${'n'.repeat(5000)}</b>`,
  text: `${MARKUP}\n${HOSTILE_TEXTS.map(([, text]) => text).join('\n')}`,
  /** Characters that no page may contain unescaped. */
  hidden: ['\u001b', '\u202e', '\u202c', '\u2066', '\u200b', '\u0007'],
} as const;

const cut = { text: HOSTILE.text, more: null };

/** Returns a state in which every field that a model, a file, a branch or a manifest can fill is hostile. */
export function hostileState(): ViewState {
  const state = haltedState();
  const graph = workflowGraph();
  const nodes = graph.nodes.map((node, at) => ({
    ...node,
    blocks: node.blocks.map((block, index) => ({
      ...block,
      name: index === 0 ? HOSTILE.markup : index === 1 ? HOSTILE.long : block.name,
      worker: HOSTILE.markup,
      rows: block.rows.map((row) => (at === 0 ? { ...row, signal: HOSTILE.long, condition: HOSTILE.markup } : row)),
    })),
  }));
  const halt = haltView();
  const workflow = state.workflow ?? baseState().workflow;
  return {
    ...state,
    project: HOSTILE.markup,
    sessions: state.sessions.map((tab, index) => ({
      ...tab,
      title: index === 0 ? HOSTILE.markup : HOSTILE.long,
      why: HOSTILE.text,
      branch: HOSTILE.markup,
      health: { colour: 'red', reason: HOSTILE.text },
    })),
    inbox: state.inbox.map((entry) => ({
      ...entry,
      title: HOSTILE.long,
      text: HOSTILE.text,
      commands: [HOSTILE.markup],
    })),
    problems: { errors: 1, warnings: 0, file: HOSTILE.markup, first: { line: 1, column: 1, message: HOSTILE.text } },
    integration: null,
    workflow:
      workflow === null
        ? null
        : {
            ...workflow,
            graph: { ...graph, hash: 'hostile', nodes },
            source: HOSTILE.markup,
            halts: [
              {
                ...halt,
                message: HOSTILE.text,
                next: HOSTILE.long,
                failures: halt.failures.map((failure) => ({
                  ...failure,
                  name: HOSTILE.markup,
                  message: HOSTILE.text,
                  file: HOSTILE.long,
                })),
                raw: cut,
                attempts: halt.attempts.map((attempt) => ({ ...attempt, outcome: HOSTILE.long })),
              },
            ],
          },
  };
}

/** Returns the result of a run with hostile names of files and symbols. */
export const hostileResult = (): ViewState => ({
  ...baseState(),
  integration: {
    ...integration(),
    title: HOSTILE.long,
    branch: HOSTILE.markup,
    message: HOSTILE.text,
    notes: [HOSTILE.text],
    files: integration().files.map((file, index) => ({
      ...file,
      path: `${index}/${HOSTILE.long}`,
      symbols: [HOSTILE.markup, HOSTILE.long],
    })),
    refusal: { verb: 'merge', code: 'x', message: HOSTILE.text, next: HOSTILE.markup, files: [HOSTILE.long] },
  },
});

export const hostileFacts = (block: string): BlockFacts => ({
  ...factsOf(block, 1),
  model: HOSTILE.markup,
  key: HOSTILE.long,
  keyNote: HOSTILE.markup,
  answer: cut,
  failure: HOSTILE.text,
});

export const hostileConversation = (block: string): Conversation => {
  const conversation = conversationOf(block);
  return {
    ...conversation,
    turns: conversation.turns.map((turn) => ({
      ...turn,
      name: HOSTILE.markup,
      text: cut,
      links: [{ kind: 'file' as const, label: HOSTILE.long, path: 'javascript:globalThis.hacked=1', line: null }],
    })),
  };
};

export const hostileContext = (block: string): BlockContext => {
  const context = contextOf(block);
  return {
    ...context,
    layers: context.layers.map((layer) => ({
      ...layer,
      name: HOSTILE.markup,
      segments: layer.segments.map((segment) => ({
        ...segment,
        name: HOSTILE.long,
        source: HOSTILE.markup,
        reason: HOSTILE.text,
        text: cut,
      })),
    })),
  };
};

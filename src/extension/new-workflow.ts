import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { ViewGraph } from '#protocol/generated/view.gen.ts';
import type { NodeId } from '#protocol/id.ts';
import path from 'node:path';
import type { Session } from '#protocol/session.ts';
import { askBefore } from './ask-person.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';

interface NewWorkflowInput {
  readonly title: string;
  readonly node: string;
  readonly step: boolean;
  readonly plan: readonly string[];
}

/** The properties of a new workflow that are given, so that the user is not asked for them. */
export interface GivenStart {
  /** The node that it starts with. */
  readonly node?: string;
  /** The title. If it is given, the workflow starts without any question: autonomously, and without a change plan. */
  readonly title?: string;
}

/** Reads the argument of the command that starts a workflow; a link of the walkthrough gives a title. */
export function readGivenStart(argument: unknown): GivenStart {
  if (typeof argument !== 'object' || argument === null || !('title' in argument)) return {};
  const { title } = argument;
  return typeof title === 'string' && title.trim() !== '' ? { title: title.trim() } : {};
}

function wishOf({ title, node }: GivenStart, { entry, nodes }: ViewGraph): NewWorkflowInput | null {
  const start = node ?? entry ?? nodes[0]?.id;
  return title === undefined || start === undefined ? null : { title, node: start, step: false, plan: [] };
}

/** Asks the user for the title, node, run mode and change plan of a new workflow. Returns null if the user cancels. */
async function ask(graph: ViewGraph, start?: string): Promise<NewWorkflowInput | null> {
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('New workflow (1 of 4)'),
    prompt: vscode.l10n.t('Title of the workflow'),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a title.') : null),
  });
  if (title === undefined) return null;
  const nodes = graph.nodes.map(({ id, blocks }) => ({
    label: id,
    description: id === graph.entry ? 'entry' : '',
    detail: blocks.map(({ name }) => name).join(' · '),
  }));
  const ordered = [
    ...nodes.filter(({ label }) => label === graph.entry),
    ...nodes.filter(({ label }) => label !== graph.entry),
  ];
  const node =
    ordered.find(({ label }) => label === start) ??
    (await vscode.window.showQuickPick(ordered, {
      title: vscode.l10n.t('New workflow (2 of 4)'),
      placeHolder: vscode.l10n.t('Which node does it start with?'),
    }));
  if (node === undefined) return null;
  const modes = [
    {
      label: vscode.l10n.t('Autonomous'),
      detail: vscode.l10n.t('It runs until it is complete or needs you.'),
      step: false,
    },
    { label: vscode.l10n.t('Step by step'), detail: vscode.l10n.t('It waits for you before every block.'), step: true },
  ];
  const mode = await vscode.window.showQuickPick(modes, {
    title: vscode.l10n.t('New workflow (3 of 4)'),
    placeHolder: vscode.l10n.t('How should it run?'),
  });
  if (mode === undefined) return null;
  const plan = await vscode.window.showInputBox({
    title: vscode.l10n.t('New workflow (4 of 4)'),
    prompt: vscode.l10n.t(
      'Which files will it change? Enter paths or globs, separated by commas, or leave this empty if you do not know.',
    ),
    placeHolder: 'src/login/**, test/login.test.ts',
  });
  if (plan === undefined) return null;
  const paths = plan.split(',').map((one) => one.trim());
  return { title: title.trim(), node: node.label, step: mode.step, plan: paths.filter((one) => one !== '') };
}

/** Creates a session with the user's answers and starts its run. Returns null if the user cancels. */
export async function newWorkflow(
  root: string,
  graph: ViewGraph,
  link: HostLink,
  given: GivenStart,
): Promise<Session | null> {
  const wish = wishOf(given, graph) ?? (await ask(graph, given.node));
  if (wish === null) return null;
  const from = { node: wish.node as NodeId };
  const { title, plan, step } = wish;
  await askBefore(
    {
      protocol: VIEW_PROTOCOL,
      command: 'create',
      payload: { request: '', title, start: from, step, input: null, plan },
    },
    link,
  );
  const client = await link.reach();
  return client.call('session.create', {
    title,
    plan,
    base: null,
    attach: null,
    priority: null,
    after: [],
    isDraft: false,
    job: {
      start: from,
      manifest: path.join(root, '.vision', 'workflows.json'),
      input: null,
      script: null,
      stepMode: step,
    },
  });
}

import path from 'node:path';
import * as vscode from 'vscode';
import type { HostLink } from '#host/client/index.ts';
import type { ViewGraph } from '#protocol/generated/view.gen.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import { fieldProblem, mustBeAsked, type StartField, startFields, startInput } from '#protocol/start-input.ts';
import { askBefore } from './ask-person.ts';

interface NewWorkflowInput {
  readonly title: string;
  readonly node: string;
  readonly step: boolean;
  readonly input: string;
  readonly plan: readonly string[];
}

/** The properties of a new workflow that are given, so that the user is not asked for them. */
export interface GivenStart {
  /** The node that it starts with. */
  readonly node?: string;
  /** The title. If it is given, the user is asked only for required inputs; it runs autonomously, without a change plan. */
  readonly title?: string;
}

/** A manifest that workflows are started from. */
export interface StartManifest {
  readonly root: string;
  /** The path of the manifest, relative to `root`. */
  readonly source: string;
  readonly graph: ViewGraph;
}

/** Reads the argument of the command that starts a workflow; a link of the walkthrough gives a title. */
export function readGivenStart(argument: unknown): GivenStart {
  if (typeof argument !== 'object' || argument === null || !('title' in argument)) return {};
  const { title } = argument;
  return typeof title === 'string' && title.trim() !== '' ? { title: title.trim() } : {};
}

/** Returns a number's heading, such as `New workflow (2 of 5)`. */
type Heading = () => string;

function headings(count: number): Heading {
  let step = 0;
  return () => {
    step += 1;
    return vscode.l10n.t('New workflow ({0} of {1})', step, count);
  };
}

const BOOLEANS = [true, false];

/** Asks for one input. Returns undefined if the user cancels. */
function askField(field: StartField, title: string, heading: string): Thenable<string | undefined> {
  const { name, description, type, values, fallback, isTitle } = field;
  const prompt = description ?? name;
  const choices = values ?? (type === 'boolean' ? BOOLEANS : null);
  if (choices !== null) {
    const items = choices.map(String);
    const first = items.filter((one) => one === String(fallback));
    const placeHolder = `${name}: ${prompt}`;
    return vscode.window.showQuickPick([...first, ...items.filter((one) => one !== String(fallback))], {
      title: heading,
      placeHolder,
      ignoreFocusOut: true,
    });
  }
  return vscode.window.showInputBox({
    title: heading,
    prompt: description === null ? name : `${name}: ${description}`,
    value: isTitle ? title : fallback === null ? '' : String(fallback),
    validateInput: (text) => fieldProblem(field, text),
    ignoreFocusOut: true,
  });
}

/** Asks for inputs one by one. Returns their texts by name, or null if the user cancels. */
async function askFields(
  fields: readonly StartField[],
  title: string,
  heading: Heading,
): Promise<ReadonlyMap<string, string> | null> {
  const entered = new Map<string, string>();
  for (const field of fields) {
    const text = await askField(field, title, heading());
    if (text === undefined) return null;
    entered.set(field.name, text);
  }
  return entered;
}

async function askNode({ entry, nodes }: ViewGraph, heading: Heading): Promise<string | null> {
  const items = nodes.map(({ id, blocks }) => ({
    label: id,
    description: id === entry ? vscode.l10n.t('entry') : '',
    detail: blocks.map(({ name }) => name).join(' · '),
  }));
  const ordered = [...items.filter(({ label }) => label === entry), ...items.filter(({ label }) => label !== entry)];
  const picked = await vscode.window.showQuickPick(ordered, {
    title: heading(),
    placeHolder: vscode.l10n.t('Which node does it start with?'),
    matchOnDetail: true,
  });
  return picked?.label ?? null;
}

async function askMode(heading: Heading): Promise<boolean | null> {
  const modes = [
    {
      label: vscode.l10n.t('Autonomous'),
      detail: vscode.l10n.t('It runs until it is complete or needs you.'),
      step: false,
    },
    { label: vscode.l10n.t('Step by step'), detail: vscode.l10n.t('It waits for you before every block.'), step: true },
  ];
  const mode = await vscode.window.showQuickPick(modes, {
    title: heading(),
    placeHolder: vscode.l10n.t('How should it run?'),
  });
  return mode?.step ?? null;
}

async function askPlan(heading: Heading): Promise<readonly string[] | null> {
  const plan = await vscode.window.showInputBox({
    title: heading(),
    prompt: vscode.l10n.t(
      'Which files will it change? Enter paths or globs, separated by commas, or leave this empty if you do not know.',
    ),
    placeHolder: 'src/login/**, test/login.test.ts',
  });
  if (plan === undefined) return null;
  const paths = plan.split(',').map((one) => one.trim());
  return paths.filter((one) => one !== '');
}

/** Asks the user for what is not given: title, inputs, node, run mode and change plan. Returns null if the user cancels. */
async function ask(graph: ViewGraph, start: string | undefined): Promise<NewWorkflowInput | null> {
  const fields = startFields(graph.inputs);
  const heading = headings(3 + fields.length + (start === undefined ? 1 : 0));
  const entered = await vscode.window.showInputBox({
    title: heading(),
    prompt: vscode.l10n.t('Title of the workflow'),
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a title.') : null),
  });
  if (entered === undefined) return null;
  const title = entered.trim();
  const values = await askFields(fields, title, heading);
  if (values === null) return null;
  const node = start ?? (await askNode(graph, heading));
  if (node === null) return null;
  const step = await askMode(heading);
  if (step === null) return null;
  const plan = await askPlan(heading);
  return plan === null ? null : { title, node, step, plan, input: inputOf(graph, title, values) };
}

/** Asks only for the inputs without which the workflow can't start. */
async function askRequired(graph: ViewGraph, title: string, node: string): Promise<NewWorkflowInput | null> {
  const fields = startFields(graph.inputs).filter(mustBeAsked);
  const values = await askFields(fields, title, headings(fields.length));
  return values === null ? null : { title, node, step: false, plan: [], input: inputOf(graph, title, values) };
}

function inputOf({ inputs }: ViewGraph, title: string, values: ReadonlyMap<string, string>): string {
  const read = startInput(inputs, title, values);
  if (!read.ok) throw new Error(read.problem);
  return read.input;
}

/** Creates a session with the user's answers and starts its run. Returns null if the user cancels. */
export async function newWorkflow(
  { root, source, graph }: StartManifest,
  link: HostLink,
  { title: given, node: start }: GivenStart,
): Promise<Session | null> {
  const only = graph.nodes.length === 1 ? graph.nodes[0]?.id : undefined;
  const known = start ?? graph.entry ?? only ?? null;
  const first = given === undefined ? null : (known ?? (await askNode(graph, headings(1))));
  if (given !== undefined && first === null) return null;
  const wish = given === undefined || first === null ? await ask(graph, start) : await askRequired(graph, given, first);
  if (wish === null) return null;
  const from = { node: wish.node as NodeId };
  const { title, plan, step, input } = wish;
  await askBefore(
    {
      protocol: VIEW_PROTOCOL,
      command: 'create',
      payload: { request: '', title, start: from, step, input, plan: [...plan] },
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
    job: { start: from, manifest: path.join(root, source), input, script: null, stepMode: step },
  });
}

/** A command of the extension. `scripts/generate.ts` writes the table below into `contributes` of `package.json`. */
export interface ContributedCommand {
  /** The name of a product icon of VS Code. */
  readonly icon?: string;
  /** The condition, as a "when" clause, under which the command is offered anywhere, and thus in the palette. */
  readonly when?: string;
  readonly menus?: readonly MenuPlace[];
}

interface MenuPlace {
  readonly menu: 'view/title' | 'view/item/context' | 'editor/title' | 'editor/context';
  /** The condition of this menu, in addition to that of the command. */
  readonly in?: string;
  /** The group of the menu, with the place in it after `@`. */
  readonly group: string;
}

const IN_CHAT = 'view == roboSmith.chat';
const IN_PLAN = 'view == roboSmith.workPlan';
const ON_OPEN_TASK = `${IN_PLAN} && viewItem == task.open`;
const OF_CALL = 'resourceScheme == robosmith-call';
const OF_PROPOSAL = 'resourceScheme == robosmith-proposal';

/** All commands. The title of a command `roboSmith.run` is the text `command.run` in `package.nls.json`. */
export const COMMANDS = {
  'roboSmith.navigate': {},
  'roboSmith.openMissionControl': {
    icon: 'type-hierarchy',
    menus: [{ menu: 'view/title', in: IN_CHAT, group: 'navigation' }],
  },
  'roboSmith.newWorkflow': { icon: 'add' },
  'roboSmith.inbox': { icon: 'inbox', menus: [{ menu: 'view/title', in: IN_CHAT, group: 'navigation' }] },
  'roboSmith.notices': { icon: 'bell' },
  'roboSmith.openTerminal': { icon: 'terminal' },
  'roboSmith.blockChanges': { icon: 'diff-multiple' },
  'roboSmith.cleanupWorktrees': {},
  'roboSmith.openInspector': {},
  'roboSmith.setUp': {},
  'roboSmith.runNode': { icon: 'play' },
  'roboSmith.simulateNode': { icon: 'beaker' },
  'roboSmith.showNode': { icon: 'type-hierarchy' },
  'roboSmith.quickFix': {
    icon: 'wand',
    menus: [
      {
        menu: 'editor/context',
        in: 'editorHasSelection && resourceScheme =~ /^(file|vscode-remote)$/ && roboSmith.isGit',
        group: '1_modification',
      },
    ],
  },
  'roboSmith.applyFix': { when: OF_PROPOSAL, menus: [{ menu: 'editor/title', group: 'navigation@1' }] },
  'roboSmith.discardFix': { when: OF_PROPOSAL, menus: [{ menu: 'editor/title', group: 'navigation@2' }] },
  'roboSmith.calls': { icon: 'history' },
  'roboSmith.rerunCall': {
    icon: 'debug-rerun',
    when: OF_CALL,
    menus: [{ menu: 'editor/title', group: 'navigation@1' }],
  },
  'roboSmith.compareCalls': { icon: 'diff' },
  'roboSmith.useWording': { icon: 'check', when: OF_CALL, menus: [{ menu: 'editor/title', group: 'navigation@2' }] },
  'roboSmith.keys': { icon: 'key' },
  'roboSmith.addKey': { icon: 'add' },
  'roboSmith.addTask': { icon: 'add', menus: [{ menu: 'view/title', in: IN_PLAN, group: 'navigation@1' }] },
  'roboSmith.addSubtask': { menus: [{ menu: 'view/item/context', in: IN_PLAN, group: '2_plan@1' }] },
  'roboSmith.setTaskStatus': { menus: [{ menu: 'view/item/context', in: IN_PLAN, group: '1_work@2' }] },
  'roboSmith.removeTask': { menus: [{ menu: 'view/item/context', in: IN_PLAN, group: '3_remove@1' }] },
  'roboSmith.zoomIn': {
    icon: 'zoom-in',
    menus: [
      { menu: 'view/item/context', in: ON_OPEN_TASK, group: 'inline@2' },
      { menu: 'view/item/context', in: IN_PLAN, group: '2_plan@2' },
    ],
  },
  'roboSmith.zoomOut': {
    icon: 'zoom-out',
    when: 'roboSmith.planZoomed',
    menus: [{ menu: 'view/title', in: IN_PLAN, group: 'navigation@2' }],
  },
  'roboSmith.acceptPlan': {
    icon: 'check',
    when: 'roboSmith.planChanged',
    menus: [{ menu: 'view/title', in: IN_PLAN, group: 'navigation@3' }],
  },
  'roboSmith.restorePlan': {
    icon: 'discard',
    when: 'roboSmith.planChanged',
    menus: [{ menu: 'view/title', in: IN_PLAN, group: 'navigation@4' }],
  },
  'roboSmith.refreshPlan': { icon: 'refresh', menus: [{ menu: 'view/title', in: IN_PLAN, group: 'navigation@9' }] },
  'roboSmith.implementTask': {
    icon: 'rocket',
    menus: [
      { menu: 'view/item/context', in: ON_OPEN_TASK, group: 'inline@1' },
      { menu: 'view/item/context', in: ON_OPEN_TASK, group: '1_work@1' },
    ],
  },
} as const satisfies Readonly<Record<string, ContributedCommand>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];

/** The work of a command. */
export type Command = (...given: readonly unknown[]) => Promise<void>;

/** The work of some of the commands, by name. */
export type Commands = Readonly<Partial<Record<CommandName, Command>>>;

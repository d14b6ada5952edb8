import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

type Texts = Readonly<Record<string, string>>;

interface Menu {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly enablement?: string }[];
    readonly menus: Readonly<Record<string, readonly Menu[]>>;
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly media: { readonly markdown: string } }[];
    }[];
    readonly configuration: { readonly properties: Texts };
  };
}

const text = readFileSync('package.json', 'utf8');
const { contributes } = JSON.parse(text) as Manifest;
const english = read('package.nls.json') as Texts;
const german = read('package.nls.de.json') as Texts;
const bundle = read('l10n/bundle.l10n.de.json') as Texts;
const sources = globSync('src/extension/**/*.ts').map((file) => readFileSync(file, 'utf8'));

const TEXT = /l10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;

const used = new Set(
  sources.flatMap((source) => [...source.matchAll(TEXT)].map(([, single, double]) => single ?? double ?? '')),
);

const placeholders = (one: string): readonly string[] => [...one.matchAll(/\{\d\}/g)].map(([found]) => found).sort();

describe('texts of the extension', () => {
  test('every text of package.json is there in English and in German, and no other', () => {
    const named = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, name]) => name ?? '');
    expect(Object.keys(english).sort()).toEqual([...new Set(named)].sort());
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
  });

  test('every text of the code is there in German, with the same placeholders, and no other', () => {
    expect(Object.keys(bundle).sort()).toEqual([...used].sort());
    for (const [from, to] of Object.entries(bundle)) expect(placeholders(to), from).toEqual(placeholders(from));
  });
});

test('the extension runs where the files are, and nowhere else: not untrusted, not virtual, not in a browser', () => {
  const { extensionKind, capabilities, main, browser } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect({ extensionKind, capabilities, main, browser }).toEqual({
    extensionKind: ['workspace'],
    capabilities: {
      untrustedWorkspaces: { supported: false, description: '%untrusted%' },
      virtualWorkspaces: { supported: false, description: '%virtual%' },
    },
    main: './out/extension.js',
    browser: undefined,
  });
});

describe('commands of package.json', () => {
  const ids = contributes.commands.map(({ command }) => command);
  const code = sources.join('\n');

  test('each has a title of its own', () => {
    const titles = contributes.commands.map(({ title }) => english[title.slice(1, -1)] ?? '');
    expect(titles.filter((title) => title === '')).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('each menu has its condition, which holds on remote machines too', () => {
    const conditions = Object.entries(contributes.menus).flatMap(([menu, entries]) =>
      entries.map(({ command, when = '' }) => [menu, command, when]),
    );
    const ofCall = 'resourceScheme == robosmith-call';
    const ofProposal = 'resourceScheme == robosmith-proposal';
    const inPlan = 'view == roboSmith.workPlan';
    const expected = [
      ['view/title', 'roboSmith.openMissionControl', 'view == roboSmith.chat'],
      ['view/title', 'roboSmith.inbox', 'view == roboSmith.chat'],
      ['view/title', 'roboSmith.addTask', inPlan],
      ['view/title', 'roboSmith.zoomOut', `${inPlan} && roboSmith.planZoomed`],
      ['view/title', 'roboSmith.acceptPlan', `${inPlan} && roboSmith.planChanged`],
      ['view/title', 'roboSmith.restorePlan', `${inPlan} && roboSmith.planChanged`],
      ['view/title', 'roboSmith.refreshPlan', inPlan],
      [
        'editor/context',
        'roboSmith.quickFix',
        'editorHasSelection && resourceScheme =~ /^(file|vscode-remote)$/ && roboSmith.isGit',
      ],
      ['editor/title', 'roboSmith.applyFix', ofProposal],
      ['editor/title', 'roboSmith.discardFix', ofProposal],
      ['editor/title', 'roboSmith.rerunCall', ofCall],
      ['editor/title', 'roboSmith.useWording', ofCall],
      ['commandPalette', 'roboSmith.applyFix', ofProposal],
      ['commandPalette', 'roboSmith.discardFix', ofProposal],
      ['commandPalette', 'roboSmith.rerunCall', ofCall],
      ['commandPalette', 'roboSmith.useWording', ofCall],
      ['commandPalette', 'roboSmith.zoomOut', 'roboSmith.planZoomed'],
      ['commandPalette', 'roboSmith.acceptPlan', 'roboSmith.planChanged'],
      ['commandPalette', 'roboSmith.restorePlan', 'roboSmith.planChanged'],
      ['view/item/context', 'roboSmith.implementTask', `${inPlan} && viewItem == task.open`],
      ['view/item/context', 'roboSmith.zoomIn', `${inPlan} && viewItem == task.open`],
      ['view/item/context', 'roboSmith.implementTask', `${inPlan} && viewItem == task.open`],
      ['view/item/context', 'roboSmith.setTaskStatus', inPlan],
      ['view/item/context', 'roboSmith.addSubtask', inPlan],
      ['view/item/context', 'roboSmith.zoomIn', inPlan],
      ['view/item/context', 'roboSmith.removeTask', inPlan],
    ];
    const sorted = (rows: typeof expected): readonly string[] => rows.map((row) => row.join(' ')).sort();
    expect(sorted(conditions)).toEqual(sorted(expected));
  });

  test('every setting is read', () => {
    for (const name of Object.keys(contributes.configuration.properties))
      expect(code).toContain(`get('${name.split('.')[1] ?? ''}'`);
  });

  test('every page of the walkthrough is there, and every command that it names', () => {
    for (const { media } of contributes.walkthroughs.flatMap(({ steps }) => steps))
      expect(existsSync(media.markdown), media.markdown).toBe(true);
    for (const texts of [english, german])
      for (const one of Object.values(texts))
        for (const [, command] of one.matchAll(/\(command:([\w.]+)[)?]/g)) expect(ids).toContain(command);
  });
});

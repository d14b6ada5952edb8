import * as vscode from 'vscode';
import { createViewBridge, type HostLink, type ViewBridge } from '#host/client/index.ts';
import type { HostToView, Selection, ViewKind, ViewToHost } from '#protocol/generated/view.gen.ts';
import { VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import { askBefore } from './ask-person.ts';
import { actLocally, type LocalParts } from './local-actions.ts';
import { viewPage } from './view-page.ts';

export const PANEL_TYPE = 'roboSmith.missionControl';
export const CHAT_VIEW = 'roboSmith.chat';
export const CONTEXT_VIEW = 'roboSmith.contextInspector';

interface ViewsParts extends LocalParts {
  readonly link: HostLink;
  readonly project: string;
  /** Folder of the bundled webview pages (scripts, styles and fonts). */
  readonly folder: vscode.Uri;
  readonly log: (message: string) => void;
}

/** Mission Control and the views in VS Code's panel area. All show the same tab and selection. */
export interface Views {
  dispose(): void;
  /** Shows Mission Control with this tab; without a key it keeps its current tab. */
  reveal(key?: string | null): void;
  isOpen(): boolean;
  /** Returns whether Mission Control is open and not behind another tab. */
  isVisible(): boolean;
  /** Returns the key of the tab that Mission Control shows, or null. */
  shown(): string | null;
  /** Scrolls Mission Control to a block or a halt. */
  goTo(place: { readonly block: string | null; readonly halt: string | null }): void;
  setBadge(count: number): void;
  /** Takes over a Mission Control panel that VS Code restored after a restart. */
  restore(panel: vscode.WebviewPanel): void;
  /** Initialises one of the views in the panel area. */
  resolve(id: string, view: vscode.WebviewView): void;
}

interface OpenView {
  readonly kind: ViewKind;
  readonly bridge: ViewBridge;
  /** The files that the shown result changes. */
  files: readonly string[];
}

type Reveal = Extract<HostToView, { command: 'reveal' }>['payload'];

/** The open views, with the tab and the selection that they share. */
interface AttendedViews {
  /** Connects a webview with the project's host. */
  attend(webview: vscode.Webview, kind: ViewKind): vscode.Disposable;
  /** Returns the key of the tab that Mission Control shows, or null. */
  tab(): string | null;
  /** Sets the tab that Mission Control shows. `isNow`: Mission Control is open and must switch to it at once. */
  setTab(key: string | null, isNow: boolean): void;
  /** Scrolls Mission Control to a place, now or once it has its first snapshot. */
  goTo(place: Reveal, isOpen: boolean): void;
}

const sendReveal = ({ bridge }: OpenView, place: Reveal): void =>
  bridge.send({ protocol: VIEW_PROTOCOL, command: 'reveal', payload: place });

function createAttendedViews(parts: ViewsParts): AttendedViews {
  const { link, project, folder, log, root } = parts;
  const attended = new Set<OpenView>();
  let tab: string | null = null;
  let selection: Selection = { run: null, block: null, visit: null };
  let coming: Reveal | null = null;

  const missionControl = (): OpenView | undefined => [...attended].find(({ kind }) => kind === 'mission-control');
  const others = (than: OpenView, work: (one: OpenView) => void): void => {
    for (const one of [...attended]) if (one !== than) work(one);
  };
  const sendSelection = ({ bridge }: OpenView): void =>
    bridge.send({ protocol: VIEW_PROTOCOL, command: 'selected', payload: selection });
  const keepFiles = (own: OpenView, message: HostToView): void => {
    const results =
      message.command === 'snapshot'
        ? [message.payload.state.integration]
        : message.command === 'patch'
          ? message.payload.changes.flatMap((one) => (one.kind === 'integration' ? [one.integration] : []))
          : [];
    for (const result of results) own.files = result?.files.map(({ path }) => path) ?? [];
  };
  const tookPost = (own: OpenView, message: HostToView): void => {
    keepFiles(own, message);
    if (message.command !== 'snapshot') return;
    const { open } = message.payload.state;
    if (own.kind !== 'mission-control') {
      setImmediate(() => sendSelection(own));
    } else {
      if (open !== tab) others(own, ({ kind, bridge }) => (kind === 'mission-control' ? undefined : bridge.show(open)));
      tab = open;
      const place = coming;
      coming = null;
      if (place !== null) setImmediate(() => sendReveal(own, place));
    }
  };
  const local = (message: ViewToHost, own: () => OpenView): Promise<string | null> | null => {
    if (message.command !== 'select') return actLocally(message, parts);
    selection = message.payload;
    others(own(), sendSelection);
    return Promise.resolve(null);
  };
  const attend = (webview: vscode.Webview, kind: ViewKind): vscode.Disposable => {
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    const bridge: ViewBridge = createViewBridge({
      link,
      project,
      log,
      open: tab,
      now: () => Date.now(),
      post: (message) => void webview.postMessage(message),
      local: (message) => local(message, () => own),
      prepare: (message) => askBefore(message, link, { root, files: own.files }),
      onPost: (message) => tookPost(own, message),
    });
    const own: OpenView = { kind, bridge, files: [] };
    attended.add(own);
    const hearing = webview.onDidReceiveMessage((message: unknown) => bridge.hear(message));
    webview.html = viewPage(webview, folder, kind);
    return new vscode.Disposable(() => {
      hearing.dispose();
      bridge.end();
      attended.delete(own);
    });
  };
  return {
    attend,
    tab: () => tab,
    setTab: (key, isNow) => {
      const isOther = key !== tab;
      tab = key;
      if (isNow && isOther) missionControl()?.bridge.show(tab);
    },
    goTo: (place, isOpen) => {
      const known = missionControl();
      if (known === undefined || !isOpen) coming = place;
      else sendReveal(known, place);
    },
  };
}

export function createViews(parts: ViewsParts): Views {
  const { folder } = parts;
  const views = createAttendedViews(parts);
  const panelViews = new Map<string, vscode.WebviewView>();
  let panel: vscode.WebviewPanel | null = null;
  let badge = 0;

  const take = (opened: vscode.WebviewPanel): void => {
    panel = opened;
    opened.iconPath = vscode.Uri.joinPath(folder, '..', '..', 'media', 'icon.svg');
    const attending = views.attend(opened.webview, 'mission-control');
    opened.onDidDispose(() => {
      attending.dispose();
      if (panel === opened) panel = null;
    });
  };
  const setBadge = (count: number): void => {
    badge = count;
    const view = panelViews.get(CHAT_VIEW);
    const tooltip =
      count === 1 ? vscode.l10n.t('One item waits for you') : vscode.l10n.t('{0} items wait for you', count);
    if (view !== undefined) view.badge = count === 0 ? undefined : { value: count, tooltip };
  };
  const reveal = (key?: string | null): void => {
    if (panel !== null) panel.reveal();
    if (key !== undefined) views.setTab(key, panel !== null);
    if (panel !== null) return;
    const options = { retainContextWhenHidden: true, enableFindWidget: false };
    take(vscode.window.createWebviewPanel(PANEL_TYPE, 'Mission Control', vscode.ViewColumn.Active, options));
  };
  return {
    reveal,
    isOpen: () => panel !== null,
    isVisible: () => panel?.visible === true,
    shown: views.tab,
    goTo: (place) => views.goTo(place, panel !== null),
    setBadge,
    restore: (restored) => {
      // A panel was opened before VS Code restored this one; a second panel would show the same content.
      if (panel === null) take(restored);
      else restored.dispose();
    },
    resolve: (id, view) => {
      panelViews.set(id, view);
      setBadge(badge);
      const attending = views.attend(view.webview, id === CHAT_VIEW ? 'chat' : 'context');
      view.onDidDispose(() => {
        attending.dispose();
        panelViews.delete(id);
      });
    },
    dispose: () => void panel?.dispose(),
  };
}

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

export interface ViewsParts extends LocalParts {
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

interface Attended {
  readonly kind: ViewKind;
  readonly bridge: ViewBridge;
}

type Reveal = Extract<HostToView, { command: 'reveal' }>['payload'];

export function createViews(parts: ViewsParts): Views {
  const { link, project, folder, log } = parts;
  const attended = new Set<Attended>();
  const panelViews = new Map<string, vscode.WebviewView>();
  let panel: vscode.WebviewPanel | null = null;
  let tab: string | null = null;
  let selection: Selection = { run: null, block: null, visit: null };
  let badge = 0;
  let coming: Reveal | null = null;

  const others = (than: Attended, work: (one: Attended) => void): void => {
    for (const one of [...attended]) if (one !== than) work(one);
  };
  const tellSelection = ({ bridge }: Attended): void =>
    bridge.tell({ protocol: VIEW_PROTOCOL, command: 'selected', payload: selection });
  const tookPost = (own: Attended, message: HostToView): void => {
    if (message.command !== 'snapshot') return;
    const { open } = message.payload.state;
    if (own.kind !== 'mission-control') {
      setImmediate(() => tellSelection(own));
    } else {
      if (open !== tab) others(own, ({ kind, bridge }) => (kind === 'mission-control' ? undefined : bridge.show(open)));
      tab = open;
      const place = coming;
      coming = null;
      if (place !== null) setImmediate(() => tellReveal(own, place));
    }
  };
  const tellReveal = ({ bridge }: Attended, place: Reveal): void =>
    bridge.tell({ protocol: VIEW_PROTOCOL, command: 'reveal', payload: place });
  const local = (message: ViewToHost, own: () => Attended): Promise<string | null> | null => {
    if (message.command !== 'select') return actLocally(message, parts);
    selection = message.payload;
    others(own(), tellSelection);
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
      prepare: (message) => askBefore(message, link),
      onPost: (message) => tookPost(own, message),
    });
    const own: Attended = { kind, bridge };
    attended.add(own);
    const hearing = webview.onDidReceiveMessage((message: unknown) => bridge.hear(message));
    webview.html = viewPage(webview, folder, kind);
    return new vscode.Disposable(() => {
      hearing.dispose();
      bridge.end();
      attended.delete(own);
    });
  };
  const take = (opened: vscode.WebviewPanel): void => {
    panel = opened;
    opened.iconPath = vscode.Uri.joinPath(folder, '..', '..', 'media', 'icon.svg');
    const attending = attend(opened.webview, 'mission-control');
    opened.onDidDispose(() => {
      attending.dispose();
      if (panel === opened) panel = null;
    });
  };
  const setBadge = (count: number): void => {
    badge = count;
    const view = panelViews.get(CHAT_VIEW);
    const tooltip =
      count === 1 ? vscode.l10n.t('One thing waits for you') : vscode.l10n.t('{0} things wait for you', count);
    if (view !== undefined) view.badge = count === 0 ? undefined : { value: count, tooltip };
  };
  const missionControl = (): Attended | undefined => [...attended].find(({ kind }) => kind === 'mission-control');
  const reveal = (key?: string | null): void => {
    const isOther = key !== undefined && key !== tab;
    if (key !== undefined) tab = key;
    if (panel === null) {
      const options = { retainContextWhenHidden: true, enableFindWidget: false };
      take(vscode.window.createWebviewPanel(PANEL_TYPE, 'Mission Control', vscode.ViewColumn.Active, options));
    } else {
      panel.reveal();
      if (isOther) missionControl()?.bridge.show(tab);
    }
  };
  return {
    reveal,
    isOpen: () => panel !== null,
    shown: () => tab,
    goTo: (place) => {
      const known = missionControl();
      if (known === undefined || panel === null) coming = place;
      else tellReveal(known, place);
    },
    setBadge,
    restore: (restored) => {
      // A panel was opened before VS Code restored this one; a second panel would show the same content.
      if (panel === null) take(restored);
      else restored.dispose();
    },
    resolve: (id, view) => {
      panelViews.set(id, view);
      setBadge(badge);
      const attending = attend(view.webview, id === CHAT_VIEW ? 'chat' : 'context');
      view.onDidDispose(() => {
        attending.dispose();
        panelViews.delete(id);
      });
    },
    dispose: () => void panel?.dispose(),
  };
}

import type { HostToView, ViewToHost } from '#protocol/generated/view.gen.ts';
import { readHostMessage, VIEW_PROTOCOL } from '#protocol/view/read-message.ts';
import { openSocket } from './socket.ts';

/** The payload of a view's message with the given command. */
export type Payload<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

/** The connection of a view to its host. This is the only file of Mission Control that knows the transport. */
export interface Host {
  /** True in VS Code, which shows confirmations and opens files itself. */
  readonly isEditor: boolean;
  send<Command extends ViewToHost['command']>(command: Command, payload: Payload<Command>): void;
  /** Immediately tries to reconnect to the page's server if the connection is lost. */
  retry(): void;
  /** Returns the state that this view stored with `keep`; null if there is none or it can't be read. */
  restore(): unknown;
  keep(state: unknown): void;
}

export interface HostListener {
  onMessage(message: HostToView): void;
  /** Called on each (re)connection, so that the view can introduce itself to the host. */
  onOpen(): void;
  /** Called when the connection to the host is lost. The transport reconnects by itself. */
  onLost(): void;
}

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  var acquireVsCodeApi: (() => EditorApi) | undefined;
}

const KEPT = 'robosmith.view';

function receive(value: unknown, listener: HostListener): void {
  const read = readHostMessage(value);
  if (read.ok) listener.onMessage(read.message);
  else console.warn(`RoboSmith ignored a message: ${read.why}`);
}

function connectToEditor(api: EditorApi, listener: HostListener): Host {
  addEventListener('message', (event: MessageEvent<unknown>) => receive(event.data, listener));
  queueMicrotask(() => listener.onOpen());
  return {
    isEditor: true,
    send: (command, payload) => api.postMessage({ protocol: VIEW_PROTOCOL, command, payload }),
    // VS Code's messages are never lost; the extension reconnects to the engine.
    retry: () => undefined,
    restore: () => api.getState(),
    keep: (state) => api.setState(state),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function connectToServer(listener: HostListener): Host {
  const socket = openSocket({
    onOpen: () => listener.onOpen(),
    onText: (text) => receive(parse(text), listener),
    onLost: () => listener.onLost(),
  });
  return {
    isEditor: false,
    send: (command, payload) => socket.send(JSON.stringify({ protocol: VIEW_PROTOCOL, command, payload })),
    retry: () => socket.retry(),
    restore: () => parse(sessionStorage.getItem(KEPT) ?? 'null'),
    keep: (state) => sessionStorage.setItem(KEPT, JSON.stringify(state)),
  };
}

/** Connects to VS Code, or in a browser to the server of the page. */
export function connect(listener: HostListener): Host {
  const acquire = globalThis.acquireVsCodeApi;
  return acquire === undefined ? connectToServer(listener) : connectToEditor(acquire(), listener);
}

import type { HostToView, ViewToHost } from '#protocol/generated/view.gen.ts';
import { readHostMessage, VIEW_PROTOCOL } from '#protocol/view/read-message.ts';

/** Payload of a view's message, by command. */
export type Payload<Command extends ViewToHost['command']> = Extract<ViewToHost, { command: Command }>['payload'];

/** The connection of a view to its host. The only file that knows a transport. */
export interface Host {
  /** True where VS Code shows the view: it asks for confirmations and opens files itself. */
  readonly isEditor: boolean;
  send<Command extends ViewToHost['command']>(command: Command, payload: Payload<Command>): void;
  /** What a view of this place kept; null: nothing, or it can't be read. */
  restore(): unknown;
  keep(state: unknown): void;
}

export interface HostListener {
  onMessage(message: HostToView): void;
  /** Each time a connection is there: the view introduces itself. */
  onOpen(): void;
  /** The transport itself is gone; it is opened again. */
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
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;

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

/** The address of the host's socket: beside the page, with the token of the page's address. */
function socketAddress(): string {
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = location.search;
  address.hash = '';
  return address.href;
}

function connectToServer(listener: HostListener): Host {
  let socket: WebSocket | null = null;
  let delay = FIRST_DELAY_MS;

  function open(): void {
    const opened = new WebSocket(socketAddress());
    opened.addEventListener('open', () => {
      socket = opened;
      delay = FIRST_DELAY_MS;
      listener.onOpen();
    });
    opened.addEventListener('message', (event: MessageEvent<unknown>) =>
      receive(typeof event.data === 'string' ? parse(event.data) : event.data, listener),
    );
    opened.addEventListener('close', () => {
      socket = null;
      listener.onLost();
      setTimeout(open, delay);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
    });
  }
  open();

  return {
    isEditor: false,
    send: (command, payload) => socket?.send(JSON.stringify({ protocol: VIEW_PROTOCOL, command, payload })),
    restore: () => parse(sessionStorage.getItem(KEPT) ?? 'null'),
    keep: (state) => sessionStorage.setItem(KEPT, JSON.stringify(state)),
  };
}

/** Connects to VS Code, or in a browser to the server that the page came from. */
export function connect(listener: HostListener): Host {
  const acquire = globalThis.acquireVsCodeApi;
  return acquire === undefined ? connectToServer(listener) : connectToEditor(acquire(), listener);
}

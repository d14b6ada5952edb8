/** A WebSocket to the page's server that reconnects whenever it closes. */
export interface LastingSocket {
  /** Sends a text; ignored while the connection is lost. */
  send(text: string): void;
  /** Immediately tries to reconnect if the connection is lost. */
  retry(): void;
}

export interface SocketListener {
  /** Called each time the connection opens. */
  onOpen(): void;
  onText(text: string): void;
  /** Called when the connection is lost, and again after each attempt that has failed. */
  onLost(): void;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 5000;

/** Returns the URL of the server's socket. It is relative to the page's URL and contains the same token. */
function socketAddress(): string {
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = location.search;
  address.hash = '';
  return address.href;
}

export function openSocket(listener: SocketListener): LastingSocket {
  let socket: WebSocket | null = null;
  let delay = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    timer = undefined;
    const opened = new WebSocket(socketAddress());
    opened.addEventListener('open', () => {
      socket = opened;
      delay = FIRST_DELAY_MS;
      listener.onOpen();
    });
    opened.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (typeof event.data === 'string') listener.onText(event.data);
    });
    opened.addEventListener('close', () => {
      socket = null;
      timer = setTimeout(open, delay);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      listener.onLost();
    });
  }
  open();

  return {
    send: (text) => socket?.send(text),
    retry: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      delay = FIRST_DELAY_MS;
      open();
    },
  };
}

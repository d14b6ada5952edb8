import { createBrowserReceiver } from '@statelyai/inspect';
import { readInspection } from '#protocol/read-inspection.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';
import { openSocket } from '../connection/socket.ts';

export interface InspectionListener {
  onEvent(event: InspectionEvent): void;
  /** Called each time the connection opens, before all events of the recording so far arrive. */
  onOpen(): void;
  /** Called when the connection to the page's server is lost. It reconnects by itself. */
  onLost(): void;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Receives inspection events: in VS Code from window messages, in a browser from the page's server. Returns a function
 * that immediately tries to reconnect to a lost server.
 */
export function connectInspection(listener: InspectionListener): () => void {
  const read = (value: unknown): void => {
    const event = readInspection(value);
    if (event !== null) listener.onEvent(event);
  };
  const acquire = globalThis.acquireVsCodeApi;
  if (acquire !== undefined) {
    createBrowserReceiver().subscribe(read);
    acquire().postMessage({ type: 'ready' });
    return () => undefined;
  }
  const socket = openSocket({
    onOpen: () => listener.onOpen(),
    onText: (text) => read(parse(text)),
    onLost: () => listener.onLost(),
  });
  return () => socket.retry();
}

/**
 * Parses a recording of inspection events, one JSON object per line. `ignored` counts the lines that are not events.
 */
export function readRecording(text: string): { readonly events: readonly InspectionEvent[]; readonly ignored: number } {
  const events: InspectionEvent[] = [];
  let ignored = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      const event = readInspection(JSON.parse(line));
      if (event === null) ignored += 1;
      else events.push(event);
    } catch {
      ignored += 1;
    }
  }
  return { events, ignored };
}

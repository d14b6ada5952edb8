import { createBrowserReceiver, createWebSocketReceiver } from '@statelyai/inspect';
import { readInspection } from '#protocol/read-inspection.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';

/**
 * Receives inspection events and passes them to `take`: in VS Code from window messages, in a browser from the page's
 * server.
 */
export function connectInspection(take: (event: InspectionEvent) => void): void {
  const read = (value: unknown): void => {
    const event = readInspection(value);
    if (event !== null) take(event);
  };
  const acquire = globalThis.acquireVsCodeApi;
  if (acquire !== undefined) {
    createBrowserReceiver().subscribe(read);
    acquire().postMessage({ type: 'ready' });
    return;
  }
  const address = new URL('socket', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = location.search;
  createWebSocketReceiver({ server: address.href }).subscribe(read);
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

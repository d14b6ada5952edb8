import * as vscode from 'vscode';
import type { HostClient, HostLink } from '#host/client/index.ts';

let streams = 0;

/**
 * Sends a request to the host whose answer is streamed to `onText`. A progress notification lets the user cancel it.
 */
export async function streamAnswer<Result>(
  link: HostLink,
  title: string,
  onText: (text: string) => void,
  ask: (client: HostClient, stream: number) => Promise<Result>,
): Promise<Result> {
  const client = await link.reach();
  streams += 1;
  const stream = streams;
  const stopHearing = client.on('model.text', (notice) => {
    if (notice.stream === stream) onText(notice.text);
  });
  try {
    return await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (_, token) => {
        token.onCancellationRequested(() => void client.call('model.stop', { stream }));
        return ask(client, stream);
      },
    );
  } finally {
    stopHearing();
  }
}

const STATELY = 'https://stately.ai';

/**
 * Returns the content security policy of the page that shows Stately's inspector. It allows one script, one frame of
 * stately.ai and one socket.
 */
export const hostedPolicy = (nonce: string, socket: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    ...[`frame-src ${STATELY}`, `connect-src ${socket}`],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');

/** Returns a page that passes the events of its socket to Stately's hosted inspector, which runs in a frame. */
export const hostedPage = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>RoboSmith - Stately inspector</title>
<style nonce="${nonce}">html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; }</style>
</head>
<body>
<iframe src="${STATELY}/inspect" title="Stately inspector"></iframe>
<script nonce="${nonce}">
const frame = document.querySelector('iframe');
const waiting = [];
let connected = false;
const pass = (event) => frame.contentWindow.postMessage(event, '${STATELY}');
addEventListener('message', ({ origin, data }) => {
  if (origin !== '${STATELY}' || data?.type !== '@statelyai.connected') return;
  connected = true;
  for (const event of waiting.splice(0)) pass(event);
});
const address = new URL('socket' + location.search, location.href);
address.protocol = 'ws:';
new WebSocket(address).addEventListener('message', ({ data }) => {
  const event = JSON.parse(data);
  if (connected) pass(event);
  else waiting.push(event);
});
</script>
</body>
</html>
`;

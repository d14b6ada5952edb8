import type { Notice } from '#protocol/notice.ts';
import type { Processes } from '#protocol/services.ts';

const TIMEOUT_MS = 20_000;

/** Environment variables that identify the user's desktop session. */
const DESKTOP_NAMES = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XAUTHORITY'];

const APPLE_SCRIPT = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`;

/** Shows a balloon in the notification area, which Windows 10 and later display as a toast. */
const POWERSHELL = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(10000, $env:ROBOSMITH_TITLE, $env:ROBOSMITH_TEXT, 'Info')
Start-Sleep -Seconds 10
$icon.Dispose()`;

type Command = readonly [string, ...string[]];

/**
 * Escapes the body of a notice, which Linux desktops parse as markup (Desktop Notifications Specification, "Markup").
 */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Returns the command for a platform's desktop. The texts are passed as arguments or environment variables, never as
 * part of a script.
 */
function commandOf(title: string, text: string, platform: NodeJS.Platform): Command {
  if (platform === 'darwin') return ['osascript', '-e', APPLE_SCRIPT, '--', title, text];
  if (platform === 'win32') return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', POWERSHELL];
  return ['notify-send', '--app-name=RoboSmith', '--', title, plain(text)];
}

/** Shows a notice on the desktop. Resolves to null, or to the reason for a failure. */
export async function showOnDesktop(
  { title, text, command, project }: Notice,
  processes: Processes,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> {
  const body = `${text}\n${command}`;
  const argv = commandOf(title, body, platform);
  const { ended, exitCode, output, error } = await processes.run(
    {
      argv,
      cwd: project,
      envNames: DESKTOP_NAMES,
      timeoutMs: TIMEOUT_MS,
      env: { ROBOSMITH_TITLE: title, ROBOSMITH_TEXT: body },
    },
    new AbortController().signal,
  );
  if (ended === 'exited' && exitCode === 0) return null;
  if (ended !== 'not_started') return `${argv[0]} failed: ${output.trim().slice(0, 500) || ended}`;
  const hint = platform === 'linux' ? '; it comes with the package libnotify-bin or libnotify' : '';
  return `${argv[0]} did not start: ${error ?? 'unknown reason'}${hint}`;
}

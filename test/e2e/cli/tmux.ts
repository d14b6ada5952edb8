import { execFileSync, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A real terminal: a pane of a separate tmux server. */
export interface Terminal {
  /** Returns the screen content as the user sees it; with `colours`, including its escape sequences. */
  screen(colours?: 'colours'): Promise<string>;
  /** Returns the screen as soon as it contains the text. */
  until(text: string): Promise<string>;
  /** Types characters or the bytes of keys. */
  type(bytes: string): Promise<void>;
  resize(size: Size): Promise<void>;
  end(): void;
}

export const hasTmux = process.platform !== 'win32' && spawnSync('tmux', ['-V']).status === 0;

let servers = 0;

interface Pending {
  readonly resolve: (lines: readonly string[]) => void;
  readonly reject: (error: Error) => void;
  readonly lines: string[];
}

/**
 * Starts a shell command on a terminal. tmux reports every output (control mode), so waiting for a text needs no delay.
 */
export async function openTerminal(
  command: string,
  { folder, socket, env, size }: { folder: string; socket: string; env: NodeJS.ProcessEnv; size: Size },
): Promise<Terminal> {
  // Each server gets its own socket, because the previous server may not have ended yet.
  servers += 1;
  const server = ['-u', '-f', '/dev/null', '-S', path.join(socket, `tmux-${servers}.sock`)];
  const options = { cwd: folder, env: { ...env, TMUX: undefined, LC_ALL: 'C.UTF-8' } };
  const { columns, rows } = size;
  execFileSync('tmux', [...server, 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, command], options);
  const client = spawn('tmux', [...server, '-C', 'attach'], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting: Pending[] = [];
  let outputs = 0;
  let wake = (): void => undefined;
  let current: Pending | null = null;
  let isOver = false;
  client.once('close', () => {
    isOver = true;
    for (const { reject } of waiting) reject(new Error('the terminal has ended'));
    wake();
  });
  createInterface({ input: client.stdout }).on('line', (line) => {
    // The last number is 1 if the block is the reply to a command of this client.
    if (/^%begin .* 1$/.test(line)) current = waiting.shift() ?? null;
    else if (/^%(?:end|error) .* 1$/.test(line)) current = (current?.resolve(current.lines), null);
    else if (current !== null) current.lines.push(line);
    else if (line.startsWith('%output')) {
      outputs += 1;
      wake();
    }
  });
  const tmux = (text: string): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      if (isOver) return reject(new Error('the terminal has ended'));
      waiting.push({ resolve, reject, lines: [] });
      client.stdin.write(`${text}\n`);
    });
  const resize = async (to: Size): Promise<void> => {
    await tmux(`refresh-client -C ${to.columns}x${to.rows}`);
  };
  const screen: Terminal['screen'] = async (colours) =>
    (await tmux(`capture-pane -p${colours === undefined ? '' : ' -e'}`)).join('\n');
  await resize(size);
  return {
    screen,
    resize,
    until: async (text) => {
      for (;;) {
        const seen = outputs;
        const shown = await screen();
        if (shown.includes(text)) return shown;
        if (seen !== outputs) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    type: async (bytes) => {
      const codes = [...Buffer.from(bytes)].map((code) => code.toString(16));
      await tmux(`send-keys -H ${codes.join(' ')}`);
    },
    end: () => {
      spawnSync('tmux', [...server, 'kill-server'], options);
      client.kill();
    },
  };
}

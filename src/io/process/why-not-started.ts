const isPath = (program: string): boolean => /[/\\]/.test(program);

/** Turns the system's error code, for example `ENOENT`, into a message. */
export function whyNotStarted(code: string | undefined, program: string): string {
  switch (code) {
    case 'ENOENT':
      return isPath(program) ? `there is no program \`${program}\`` : `there is no program \`${program}\` on the PATH`;
    case 'EACCES':
    case 'EPERM':
      return `you have no permission to execute \`${program}\``;
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return 'the arguments are too long';
    default:
      return code ?? 'unknown reason';
  }
}

export const noFolder = (folder: string): string => `the folder ${folder} does not exist`;

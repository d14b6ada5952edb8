/** Flags of Node that change how modules are found and loaded. Each takes a value: `--import x` or `--import=x`. */
const LOADING = ['--import', '--require', '-r', '--loader', '--experimental-loader', '--conditions', '-C'];

const isLoading = (flag: string | undefined): boolean => LOADING.includes(flag?.split('=')[0] ?? '');

/**
 * Returns the option `execArgv` for a thread, given the flags of the process. By default a thread inherits the flags of
 * its process, which fails with `--input-type`, since the thread's entry is a file. An explicit list must not contain
 * flags of V8 or of the whole process, such as `--expose-gc`, so only the flags for loading modules are listed.
 */
export function threadFlags(flags: readonly string[]): { readonly execArgv?: string[] } {
  if (!flags.some((flag) => flag.startsWith('--input-type'))) return {};
  const isValue = (index: number): boolean => LOADING.includes(flags[index - 1] ?? '');
  return { execArgv: flags.filter((flag, index) => isLoading(flag) || isValue(index)) };
}

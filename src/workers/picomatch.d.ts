// Until @types/picomatch is a dependency.
declare module 'picomatch' {
  interface Options {
    readonly dot?: boolean;
    readonly nonegate?: boolean;
  }
  function picomatch(globs: readonly string[], options?: Options): (path: string) => boolean;
  export = picomatch;
}

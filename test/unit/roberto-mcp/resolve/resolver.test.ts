import { expect, test } from 'vitest';
import type { LanguageName } from '../../../../src/roberto-mcp/parse/languages.ts';
import { indexPaths } from '../../../../src/roberto-mcp/resolve/index-paths.ts';
import { createResolver } from '../../../../src/roberto-mcp/resolve/resolver.ts';

interface Case {
  readonly title: string;
  readonly language: LanguageName;
  readonly files: Readonly<Record<string, string>>;
  readonly from: string;
  /** Imports: the module, the imported names, and the files to which they resolve. */
  readonly imports: readonly (readonly [string, readonly string[], readonly string[]])[];
}

const CASES: readonly Case[] = [
  {
    title: 'TypeScript: relative, JavaScript extensions, folders',
    language: 'typescript',
    files: {
      'src/a.ts': '',
      'src/b.ts': '',
      'src/c.tsx': '',
      'src/d/index.ts': '',
      'src/e.d.ts': '',
      'src/f.json': '',
      'root.ts': '',
    },
    from: 'src/a.ts',
    imports: [
      ['./b', [], ['src/b.ts']],
      ['./b.js', [], ['src/b.ts']],
      ['./b.ts', [], ['src/b.ts']],
      ['./c.jsx', [], ['src/c.tsx']],
      ['./d', [], ['src/d/index.ts']],
      ['./e', [], ['src/e.d.ts']],
      ['./f.json', [], ['src/f.json']],
      ['../root', [], ['root.ts']],
      ['../../outside', [], []],
      ['./missing', [], []],
      ['node:fs', [], []],
      ['react', [], []],
    ],
  },
  {
    title: 'TypeScript: paths of an extended configuration, private imports, packages of the repository',
    language: 'tsx',
    files: {
      'tsconfig.base.json':
        '{ "compilerOptions": { "paths": { "@app/*": ["./apps/web/src/*", "./shared/*"], "exact": ["./shared/exact.ts"] } } } // a comment',
      'apps/web/tsconfig.json': '{ "extends": "../../tsconfig.base", "compilerOptions": { "strict": true, }, }',
      'apps/web/package.json': '{ "name": "@x/web", "imports": { "#lib/*": "./src/lib/*.ts" } }',
      'apps/web/src/a.tsx': '',
      'apps/web/src/lib/b.ts': '',
      'shared/c.ts': '',
      'shared/exact.ts': '',
      'packages/ui/package.json':
        '{ "name": "@x/ui", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" }, "./button": "./src/button.tsx", "./icons/*": { "import": "./src/icons/*.ts" }, "./icons/private/*": null } }',
      'packages/ui/src/index.ts': '',
      'packages/ui/src/button.tsx': '',
      'packages/ui/src/icons/star.ts': '',
      'packages/plain/package.json': '{ "name": "plain", "main": "lib/main.js" }',
      'packages/plain/lib/main.js': '',
      'packages/plain/lib/deep.js': '',
    },
    from: 'apps/web/src/a.tsx',
    imports: [
      ['@app/lib/b', [], ['apps/web/src/lib/b.ts']],
      ['@app/c', [], ['shared/c.ts']],
      ['exact', [], ['shared/exact.ts']],
      ['#lib/b', [], ['apps/web/src/lib/b.ts']],
      ['@x/ui', [], ['packages/ui/src/index.ts']],
      ['@x/ui/button', [], ['packages/ui/src/button.tsx']],
      ['@x/ui/icons/star', [], ['packages/ui/src/icons/star.ts']],
      ['@x/ui/icons/private/key', [], []],
      ['@x/ui/hidden', [], []],
      ['plain', [], ['packages/plain/lib/main.js']],
      ['plain/lib/deep', [], ['packages/plain/lib/deep.js']],
      ['@x/other', [], []],
    ],
  },
  {
    title: 'Python: packages, modules among imported names, relative imports, source folders',
    language: 'python',
    files: {
      'src/app/__init__.py': '',
      'src/app/main.py': '',
      'src/app/util.py': '',
      'src/app/sub/__init__.py': '',
      'src/app/sub/leaf.py': '',
      'tests/helper.py': '',
      'src/space/inner.py': '',
    },
    from: 'src/app/main.py',
    imports: [
      ['app.util', [], ['src/app/util.py']],
      ['app', ['util', 'VERSION'], ['src/app/__init__.py', 'src/app/util.py']],
      ['.', ['util'], ['src/app/__init__.py', 'src/app/util.py']],
      ['.sub', ['leaf'], ['src/app/sub/__init__.py', 'src/app/sub/leaf.py']],
      ['.sub.leaf', ['f'], ['src/app/sub/leaf.py']],
      ['space.inner', [], ['src/space/inner.py']],
      ['os', [], []],
      ['....x', [], []],
    ],
  },
  {
    title: 'Go: packages of the nearest module, without tests',
    language: 'go',
    files: {
      'go.mod': 'module example.com/app\n\ngo 1.22\n',
      'tool/go.mod': 'module example.com/app/tool\n',
      'a.go': '',
      'store/a.go': '',
      'store/b.go': '',
      'store/a_test.go': '',
      'tool/x/y.go': '',
    },
    from: 'a.go',
    imports: [
      ['example.com/app/store', [], ['store/a.go', 'store/b.go']],
      ['example.com/app/tool/x', [], ['tool/x/y.go']],
      ['example.com/application/store', [], []],
      ['fmt', [], []],
    ],
  },
  {
    title: 'Rust: modules, the crate, the parent, other crates of the workspace',
    language: 'rust',
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["app", "my-lib"]\n',
      'app/Cargo.toml': '[package]\nname = "app"\n',
      'app/src/main.rs': '',
      'app/src/net.rs': '',
      'app/src/net/tcp.rs': '',
      'app/src/io/mod.rs': '',
      'app/src/io/file.rs': '',
      'my-lib/Cargo.toml': '[package]\nversion = "1"\nname = "my-lib"\n',
      'my-lib/src/lib.rs': '',
      'my-lib/src/deep.rs': '',
    },
    from: 'app/src/net.rs',
    imports: [
      ['mod tcp', [], ['app/src/net/tcp.rs']],
      ['crate::io::file::Reader', [], ['app/src/io/file.rs']],
      ['crate::io::Read', [], ['app/src/io/mod.rs']],
      ['super::io', [], ['app/src/io/mod.rs']],
      ['self::tcp::Stream', [], ['app/src/net/tcp.rs']],
      ['my_lib::deep::Thing', [], ['my-lib/src/deep.rs']],
      ['my_lib::Thing', [], ['my-lib/src/lib.rs']],
      ['std::io', [], []],
    ],
  },
  {
    title: 'Java: classes, inner classes, static members, whole packages',
    language: 'java',
    files: {
      'a/src/main/java/com/x/A.java': '',
      'a/src/main/java/com/x/y/B.java': '',
      'b/src/com/x/y/C.java': '',
      'b/src/org/y/B.java': '',
    },
    from: 'a/src/main/java/com/x/A.java',
    imports: [
      ['com.x.y.B', [], ['a/src/main/java/com/x/y/B.java']],
      ['com.x.y.B.Inner', [], ['a/src/main/java/com/x/y/B.java']],
      ['com.x.y.B.MAX', [], ['a/src/main/java/com/x/y/B.java']],
      ['com.x.y.*', [], ['a/src/main/java/com/x/y/B.java', 'b/src/com/x/y/C.java']],
      ['com.x.y.B.*', [], ['a/src/main/java/com/x/y/B.java']],
      ['java.util.List', [], []],
    ],
  },
  {
    title: 'C: beside the file, in an include folder, the only file of that path',
    language: 'c',
    files: { 'src/a.c': '', 'src/a.h': '', 'include/b.h': '', 'lib/z/c.h': '', 'lib/y/d.h': '', 'lib/x/d.h': '' },
    from: 'src/a.c',
    imports: [
      ['a.h', [], ['src/a.h']],
      ['b.h', [], ['include/b.h']],
      ['<z/c.h>', [], ['lib/z/c.h']],
      ['d.h', [], []],
      ['<stdio.h>', [], []],
    ],
  },
];

test.each(CASES)('$title', ({ language, files, from, imports }) => {
  const resolver = createResolver(indexPaths(Object.keys(files), (path) => files[path] ?? null));
  const resolved = imports.map(([module, names]) => [
    module,
    names,
    resolver.resolve(language, from, {
      module,
      names: names.map((name) => ({ name, alias: name })),
      row: 0,
      reexport: false,
    }),
  ]);
  expect(resolved).toEqual(imports);
});

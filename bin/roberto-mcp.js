#!/usr/bin/env node
/* Old syntax only: a Node that is too old must get as far as the sentence below. */
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 16)) {
  console.error('roberto-mcp needs Node 22.16 or newer; this is Node ' + process.versions.node + '.');
  process.exitCode = 2;
} else {
  import('../dist/roberto-mcp/main.js');
}

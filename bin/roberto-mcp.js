#!/usr/bin/env node
/* This file uses ES5 syntax only, so that an outdated Node prints the message below instead of a syntax error. */
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 16)) {
  console.error('roberto-mcp needs Node 22.16 or newer; this is Node ' + process.versions.node + '.');
  process.exitCode = 2;
} else {
  import('../dist/roberto-mcp/main.js');
}

/*
 * A module to preload. It appends each address that the process looks up or connects to, except local sockets and pipes,
 * to the file that `NETWORK_LOG` names.
 */
const { appendFileSync } = require('node:fs');
const dns = require('node:dns');
const net = require('node:net');
const process = require('node:process');

const note = (text) => appendFileSync(process.env.NETWORK_LOG, `${text}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const { path, host = 'localhost', port } = typeof first === 'object' ? first : { port: first, host: args[1] };
  if (path === undefined && typeof first !== 'string') note(`connect ${host}:${port}`);
  return connect.apply(this, args);
};

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  note(`lookup ${name}`);
  return lookup(name, ...rest);
};

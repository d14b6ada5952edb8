export { createRMcpServerManager, type RMcpServerManager, type ServerProcess } from './server-manager.ts';

export { createRMcpServerManager, type RMcpServerManager } from './server-manager.ts';

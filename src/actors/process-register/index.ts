export { createProcessRegister, takeLeftTrees } from './process-register.ts';

export { createProcessRegister, type ProcessRegisterParts, takeLeftTrees } from './process-register.ts';

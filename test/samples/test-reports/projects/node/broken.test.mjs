import "node:nothere";

// What the package exports: the rules of blocks and stores, and the verification of answers.
export * from '../answer/index.ts';
export * from '../index.ts';

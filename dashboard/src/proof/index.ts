// What is loaded when a visitor asks for a proof. One file, so that pages that nobody asks a proof of load nothing of it.
export { Proof } from './Proof.tsx';
export { Refuted } from './Refuted.tsx';
export { Seal } from './Seal.tsx';

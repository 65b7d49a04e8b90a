/** Makes a build and puts it in `outdir`, without a moment at which a program cannot start from it. `build` writes into the directory that it is given. */
export declare function buildInto(outdir: string, build: (directory: string) => unknown): Promise<void>;

/** Makes a build and puts it in `outdir`, without a moment at which a program cannot start from it. `build` writes into the directory that it is given. */
export declare function buildInto(outdir: string, build: (directory: string) => unknown): Promise<void>;

/** The paths of all files below a directory, relative to it. Empty if it does not exist. */
export declare function filesIn(directory: string): string[];

/** Makes one file of each entry point, by its name, in `outdir`. */
export declare function bundle(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void>;

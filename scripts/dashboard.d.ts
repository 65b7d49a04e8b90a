/** Bundles the dashboard into `outdir`, with compressed forms beside each file. `root` is the project, by default the current directory. */
export declare function bundleDashboard(outdir: string, root?: string): Promise<void>;

/** Bundles the playground into the directory of the dashboard. Does nothing but a note on stderr if GraphiQL is not installed. */
export declare function bundlePlayground(outdir: string, root?: string): Promise<void>;

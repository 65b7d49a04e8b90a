/** Bundles the dashboard into `outdir`, with compressed forms beside each file. `root` is the project, by default the current directory. */
export declare function bundleDashboard(outdir: string, root?: string): Promise<void>;

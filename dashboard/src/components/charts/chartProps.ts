/** A line of a chart. */
export interface Series {
  readonly name: string;
  /** The name of a colour of the styles, `--yes` without its dashes. */
  readonly tone: string;
  readonly values: readonly (number | null)[];
  /** Whether a value holds until the next one. */
  readonly isStepped?: boolean;
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

/** The data of a chart over time. */
export interface ChartProps {
  /** In ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** What the chart shows, for screen readers. */
  readonly name: string;
  /** The least top of the scale. */
  readonly top?: number;
  /** A time of which the values are not known, in ms. It is marked. */
  readonly gap?: { readonly from: number; readonly to: number } | undefined;
  /** Whether the scale begins near the lowest value instead of at 0. */
  readonly isZoomed?: boolean;
}

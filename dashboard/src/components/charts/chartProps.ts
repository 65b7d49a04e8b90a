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
  /** Whether each value is marked, because there is nothing between two of them. */
  readonly hasPoints?: boolean;
}

/** Something that is not known between two places of a chart. It is marked. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The data of a chart. */
export interface ChartProps {
  /** Times in ms, or ranks with `isRanked`. Ascending. */
  readonly times: readonly number[];
  readonly isRanked?: boolean;
  /** What each of `times` is, in words. By default, the time. */
  readonly heads?: readonly string[];
  /** What the words of `heads` name, above them in the table. By default, the time. */
  readonly headName?: string;
  readonly series: readonly Series[];
  /** What the chart shows, for screen readers. */
  readonly name: string;
  /** The least top of the scale. */
  readonly top?: number;
  readonly gaps?: readonly Gap[] | undefined;
  /** Whether the scale begins near the lowest value instead of at 0. */
  readonly isZoomed?: boolean;
}

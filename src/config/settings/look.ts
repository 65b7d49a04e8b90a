/** How the dashboard looks, where it begins, and who may embed it. Absent members are as without settings. */
export interface DashboardLook {
  readonly name?: string | undefined;
  /** The path of an SVG or PNG file. */
  readonly logo?: string | undefined;
  readonly colours?: Colours | undefined;
  /** The path of the first page below `/dashboard`, such as `/groups/1`. */
  readonly start?: string | undefined;
  /** Sections that are left out. */
  readonly off: readonly Section[];
  /** Origins whose pages may embed the dashboard. */
  readonly ancestors: readonly string[];
}

/** Colours of links and buttons, `#rrggbb`. Without `dark`, the dark theme keeps its own. */
export interface Colours {
  readonly light: string;
  readonly dark?: string | undefined;
}

/** The sections that can be turned off. */
export const sections = ['home', 'groups', 'proposals', 'tokens', 'blocks', 'validators', 'explore', 'status'] as const;

export type Section = (typeof sections)[number];

/** The surfaces of the two themes, as in dashboard/src/style/tokens.css. */
const surfaces = { light: '#ffffff', dark: '#171c25' } as const;

/** The least contrast of a colour with the surface. Texts need 4.5 to 1 (WCAG 2.2, 1.4.3), also on tinted surfaces, which are closer to the colour. */
const leastContrast = 5.5;

/** The relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hasContrast = (colour: string, surface: string): boolean => {
  const [one, other] = [luminance(colour), luminance(surface)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) >= leastContrast;
};

/** Reads one or two colours, for the light and the dark theme. undefined if they are none, or if texts in them could not be read. */
export function readColours(text: string): Colours | undefined {
  if (!/^#[0-9a-f]{6}(,#[0-9a-f]{6})?$/i.test(text)) return undefined;
  const [light = '', dark] = text.toLowerCase().split(',');
  const isReadable = hasContrast(light, surfaces.light) && (dark === undefined || hasContrast(dark, surfaces.dark));
  return isReadable ? { light, dark } : undefined;
}

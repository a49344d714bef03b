/** Adjusts the colours that a model has chosen, so that they are visible in both themes and beside each other. Pure. */

/** The background of charts: `--raised` in tokens.css. */
export const SURFACES = { light: "#ffffff", dark: "#1d1d20" } as const;
/** The contrast of graphics by WCAG 2.2, 1.4.11, plus a margin for rounding. */
export const LEAST_CONTRAST = 3;
const SOUGHT_CONTRAST = 3.05;
/** Two colours nearer than this look alike: a distance in a cube of 255. */
const ALIKE = 48;
const PALETTE = 6;

/** Red, green and blue, 0 to 255 each. */
type Rgb = readonly [number, number, number];
/** The hue in degrees; saturation and lightness from 0 to 1. */
type Hsl = readonly [number, number, number];

/** The `index`th colour of the theme. */
export function colourAt(index: number): string {
  return `var(--series-${(index % PALETTE) + 1})`;
}

/** A CSS colour for each hint: its hue with the lightness that the theme needs, or a colour of the theme. */
export function coloursFor(hints: readonly (string | undefined)[]): string[] {
  const taken: Seen[] = [];
  return hints.map((hint, index) => {
    const seen = hint === undefined ? null : seenOf(hint);
    if (seen === null || taken.some((other) => isAlike(seen, other))) {
      return colourAt(index);
    }
    taken.push(seen);
    return `light-dark(${seen.light}, ${seen.dark})`;
  });
}

interface Seen {
  readonly light: string;
  readonly dark: string;
}

/** Null if it is no colour, or in a format that is not supported. */
function seenOf(hint: string): Seen | null {
  const rgb = rgbOf(hint.trim().toLowerCase());
  return rgb && { light: visibleOn(SURFACES.light, rgb), dark: visibleOn(SURFACES.dark, rgb) };
}

/** The contrast ratio of two colours in `#rrggbb`, 1 to 21, by WCAG 2.2. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(hexOf(one)), luminance(hexOf(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** `rgb`, or the same with the nearest lightness that has enough contrast. */
function visibleOn(surface: string, rgb: Rgb): string {
  if (contrast(surface, shown(rgb)) >= LEAST_CONTRAST) {
    return shown(rgb);
  }
  const [hue, saturation, lightness] = hslOf(rgb);
  const isLight = luminance(hexOf(surface)) > 0.5;
  let [unseen, seen] = [lightness, isLight ? 0 : 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (unseen + seen) / 2;
    if (contrast(surface, shown(rgbFrom([hue, saturation, middle]))) >= SOUGHT_CONTRAST) {
      seen = middle;
    } else {
      unseen = middle;
    }
  }
  return shown(rgbFrom([hue, saturation, seen]));
}

function isAlike(one: Seen, other: Seen): boolean {
  return distance(one.light, other.light) < ALIKE || distance(one.dark, other.dark) < ALIKE;
}

function distance(one: string, other: string): number {
  const [a, b] = [hexOf(one), hexOf(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

const NUMBER = "([\\d.]+)";
const BETWEEN = "[\\s,]+";
const SHORT = /^#[0-9a-f]{3}$/;
const LONG = /^#[0-9a-f]{6}$/;
const RGB = new RegExp(`^rgb\\(\\s*${NUMBER}${BETWEEN}${NUMBER}${BETWEEN}${NUMBER}\\s*\\)$`);
const HSL = new RegExp(`^hsl\\(\\s*${NUMBER}(?:deg)?${BETWEEN}${NUMBER}%${BETWEEN}${NUMBER}%\\s*\\)$`);

/** Parses `#rgb`, `#rrggbb`, `rgb(…)` and `hsl(…)` without transparency; null for anything else. */
function rgbOf(text: string): Rgb | null {
  if (SHORT.test(text)) {
    return hexOf(text.replace(/[0-9a-f]/g, "$&$&"));
  }
  if (LONG.test(text)) {
    return hexOf(text);
  }
  const three = numbersIn(RGB.exec(text));
  if (three !== null) {
    return within(three, [255, 255, 255]) ? three : null;
  }
  const [hue, saturation, lightness] = numbersIn(HSL.exec(text)) ?? [Number.NaN, 0, 0];
  return within([hue, saturation, lightness], [360, 100, 100])
    ? rgbFrom([hue, saturation / 100, lightness / 100])
    : null;
}

function numbersIn(match: RegExpExecArray | null): Rgb | null {
  return match && [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** False for NaN, too. */
function within(values: Rgb, most: Rgb): boolean {
  return values.every((value, index) => value <= (most[index] ?? 0));
}

function hexOf(hex: string): Rgb {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function shown(rgb: Rgb): string {
  return `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function hslOf(rgb: Rgb): Hsl {
  const [red, green, blue] = [rgb[0] / 255, rgb[1] / 255, rgb[2] / 255];
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  const lightness = most - spread / 2;
  if (spread === 0) {
    return [0, 0, lightness];
  }
  const sixth =
    most === red
      ? ((green - blue) / spread + 6) % 6
      : most === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4;
  return [sixth * 60, spread / (1 - Math.abs(2 * lightness - 1)), lightness];
}

function rgbFrom([hue, saturation, lightness]: Hsl): Rgb {
  const most = saturation * Math.min(lightness, 1 - lightness);
  const part = (offset: number) => {
    const place = (offset + hue / 30) % 12;
    return 255 * (lightness - most * Math.max(-1, Math.min(place - 3, 9 - place, 1)));
  };
  return [part(0), part(8), part(4)];
}

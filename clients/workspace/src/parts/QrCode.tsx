/** Modules of white around a code, without which cameras may not find it (ISO/IEC 18004). */
const MARGIN = 4;

/** A QR code from its rows, with `1` for each dark module. Dark on white in any theme, as cameras expect. */
export function QrCode({ rows, label }: { rows: readonly string[]; label: string }) {
  const side = rows.length + 2 * MARGIN;
  const path = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : "")))
    .join("");
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} shapeRendering="crispEdges">
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

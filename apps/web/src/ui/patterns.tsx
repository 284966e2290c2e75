// Two traditional Japanese patterns, seigaiha (waves) and asanoha (hemp leaf), as SVG patterns for <defs>.

interface Tile {
  width: number;
  height: number;
  /** The lines of one tile, as the `d` of a path. */
  path: string;
}

const RINGS = [1, 0.75, 0.5, 0.25];

/**
 * Overlapping fish scales: rows are half a radius apart, and each row covers the one behind it. Only the arc of a ring
 * that lies outside the two scales in front is drawn; the intersection of the circles gives its end points.
 */
export function seigaiha(radius: number): Tile {
  const arcs: string[] = [];
  for (let row = 0; row <= 4; row += 1) {
    const y = (row * radius) / 2;
    for (let column = -1; column <= 1; column += 1) {
      const x = 2 * radius * column + (row % 2 === 0 ? 0 : radius);
      for (const ring of RINGS) arcs.push(arc(x, y, ring, radius), arc(x + 2 * radius, y, ring, radius));
    }
  }
  return { width: 2 * radius, height: radius, path: [...new Set(arcs)].join('') };
}

function arc(x: number, y: number, ring: number, radius: number): string {
  const halfAngle = Math.atan(0.5) + Math.asin((ring * ring + 0.25) / (ring * Math.sqrt(5)));
  const r = ring * radius;
  const dx = r * Math.sin(halfAngle);
  const top = y - r * Math.cos(halfAngle);
  return `M${short(x - dx)} ${short(top)}A${short(r)} ${short(r)} 0 0 1 ${short(x + dx)} ${short(top)}`;
}

/** Equilateral triangles, each with lines from its centre to its corners. */
export function asanoha(side: number): Tile {
  const rise = (side * Math.sqrt(3)) / 2;
  const lines: string[] = [];
  for (const row of [0, 1]) {
    for (const column of [-1, 0, 1]) {
      const left = (column + row / 2) * side;
      const top = row * rise;
      const corners: [number, number][] = [
        [left, top],
        [left + side, top],
        [left + side / 2, top + rise],
        [left + side * 1.5, top + rise],
      ];
      const [a, b, c, d] = corners as [[number, number], [number, number], [number, number], [number, number]];
      lines.push(line(a, b), line(a, c), line(b, c), ...spokes([a, b, c]), ...spokes([b, c, d]));
    }
  }
  return { width: side, height: 2 * rise, path: lines.join('') };
}

function spokes(corners: [number, number][]): string[] {
  const centre: [number, number] = [average(corners.map(([x]) => x)), average(corners.map(([, y]) => y))];
  return corners.map((corner) => line(centre, corner));
}

function line([x1, y1]: [number, number], [x2, y2]: [number, number]): string {
  return `M${short(x1)} ${short(y1)}L${short(x2)} ${short(y2)}`;
}

const average = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const short = (number: number): string => String(Math.round(number * 100) / 100);

interface PatternFillProps {
  id: string;
  tile: Tile;
  /** Needed because a pattern inherits styles from the place of its definition, not from the shape that it fills. */
  stroke: string;
  strokeWidth?: number;
}

/** An SVG pattern for <defs>. Shapes use it with fill={`url(#${id})`}. */
export function PatternFill({ id, tile, stroke, strokeWidth = 1 }: PatternFillProps) {
  return (
    <pattern id={id} width={tile.width} height={tile.height} patternUnits="userSpaceOnUse">
      <path d={tile.path} fill="none" stroke={stroke} strokeWidth={strokeWidth} />
    </pattern>
  );
}

// An SVG pattern for <defs>. Shapes use it with fill={`url(#${id})`}.
import type { Tile } from './patterns.ts';

interface PatternFillProps {
  id: string;
  tile: Tile;
  /** Needed because a pattern inherits styles from the place of its definition, not from the shape that it fills. */
  stroke: string;
  strokeWidth?: number;
}

export function PatternFill({ id, tile, stroke, strokeWidth = 1 }: PatternFillProps) {
  return (
    <pattern id={id} width={tile.width} height={tile.height} patternUnits="userSpaceOnUse">
      <path d={tile.path} fill="none" stroke={stroke} strokeWidth={strokeWidth} />
    </pattern>
  );
}

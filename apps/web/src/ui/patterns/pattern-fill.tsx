// A pattern as the content of <defs>, for a shape to be filled with: fill={`url(#${id})`}.
import type { Tile } from './patterns.ts';

interface PatternFillProps {
  id: string;
  tile: Tile;
  /** Told here: a pattern inherits from where it is defined, not from the shape that it fills. */
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

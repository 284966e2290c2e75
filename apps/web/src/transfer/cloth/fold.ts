// Computes the position of each part of the cloth from how much of it is wrapped. Pure.

export interface Fold {
  /** 1 is flat, 0 is upright, -1 is folded over the content. */
  bottom: number;
  top: number;
  left: number;
  right: number;
  /** 0 is untied, 1 is tied. */
  knot: number;
}

/** The corners fold one after the other, then the knot is tied. */
export function foldOf(wrapped: number): Fold {
  const corner = (from: number, to: number) => 1 - 2 * ramp(wrapped, from, to);
  return {
    bottom: corner(0, 0.22),
    top: corner(0.22, 0.44),
    left: corner(0.44, 0.64),
    right: corner(0.64, 0.84),
    knot: ramp(wrapped, 0.84, 1),
  };
}

/** Rises from 0 to 1 while the value goes from `from` to `to`. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(Math.max((value - from) / (to - from), 0), 1);
}

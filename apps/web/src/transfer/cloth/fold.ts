// How far each part of the cloth has come, from how much is wrapped. Pure.

export interface Fold {
  /** 1 lies flat, 0 stands upright, -1 lies over the parcel. */
  bottom: number;
  top: number;
  left: number;
  right: number;
  /** 0 is none, 1 is tied. */
  knot: number;
}

/** One after the other, as hands would do it; tying takes the end. */
export function foldOf(wrapped: number): Fold {
  const corner = (from: number, to: number) => 1 - 2 * between(wrapped, from, to);
  return {
    bottom: corner(0, 0.22),
    top: corner(0.22, 0.44),
    left: corner(0.44, 0.64),
    right: corner(0.64, 0.84),
    knot: between(wrapped, 0.84, 1),
  };
}

function between(value: number, from: number, to: number): number {
  return Math.min(Math.max((value - from) / (to - from), 0), 1);
}

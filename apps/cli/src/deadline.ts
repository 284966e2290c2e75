// --timeout: ends a command that makes no progress.

export interface Deadline {
  /** Starts the time again. Before the first call, and after `pause`, it does not run. */
  restart(): void;
  /** While a user types, or another program writes to standard input. */
  pause(): void;
}

/** Never ends if `seconds` is undefined. */
export function createDeadline(seconds: number | undefined, onEnd: () => void): Deadline {
  let timer: NodeJS.Timeout | undefined;
  return {
    restart() {
      if (seconds === undefined) return;
      // Called for every piece of a file, so that a new timer would take long.
      if (timer) timer.refresh();
      else timer = setTimeout(onEnd, seconds * 1000);
    },
    pause() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

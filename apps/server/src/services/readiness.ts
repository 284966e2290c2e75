// Checks that database and storage respond, within a bounded time.

type Probes = Record<string, () => Promise<void>>;

/** `/metrics` responds within 2 s, even if a store does not. */
const TIMEOUT_MS = 1500;

/** Returns the names of the probes that failed or timed out. */
export type Readiness = () => Promise<string[]>;

export function createReadiness(probes: Probes, timeoutMs = TIMEOUT_MS): Readiness {
  // At most one running call per probe: if a disk hangs, repeated checks must not pile up hanging calls.
  const running = new Map<string, Promise<boolean>>();

  function probeOnce(name: string, probe: () => Promise<void>): Promise<boolean> {
    const current = running.get(name);
    if (current) return current;
    const probing = succeeds(probe).finally(() => running.delete(name));
    running.set(name, probing);
    return probing;
  }

  return async () => {
    const failing = await Promise.all(
      Object.entries(probes).map(async ([name, probe]) =>
        (await withTimeout(timeoutMs, probeOnce(name, probe))) ? [] : [name],
      ),
    );
    return failing.flat();
  };
}

async function succeeds(probe: () => Promise<void>): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch {
    return false;
  }
}

async function withTimeout(ms: number, probing: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([probing, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

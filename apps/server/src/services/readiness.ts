// Whether everything that the server stands on answers, told within a bounded time.

export type Probes = Record<string, () => Promise<void>>;

const PATIENCE_MS = 2000;

/** Answers the names of the probes that failed or did not answer in time. */
export type Readiness = () => Promise<string[]>;

export function createReadiness(probes: Probes, patienceMs = PATIENCE_MS): Readiness {
  // One try at a time: where a disk hangs, asking over and over must not pile up calls that hang with it.
  const underWay = new Map<string, Promise<boolean>>();

  function tryOnce(name: string, probe: () => Promise<void>): Promise<boolean> {
    const standing = underWay.get(name);
    if (standing) return standing;
    const trying = answers(probe).finally(() => underWay.delete(name));
    underWay.set(name, trying);
    return trying;
  }

  return async () => {
    const failing = await Promise.all(
      Object.entries(probes).map(async ([name, probe]) =>
        (await within(patienceMs, tryOnce(name, probe))) ? [] : [name],
      ),
    );
    return failing.flat();
  };
}

async function answers(probe: () => Promise<void>): Promise<boolean> {
  try {
    await probe();
    return true;
  } catch {
    return false;
  }
}

async function within(ms: number, trying: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([trying, late]);
  } finally {
    clearTimeout(timer);
  }
}

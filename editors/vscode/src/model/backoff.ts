/** How long to wait before a server that ended is started again, and when to give up. */

const SPAN_MS = 60_000;
const MAX_CRASHES = 4;

export class Backoff {
  #crashes: number[] = [];

  /** Milliseconds to wait after a crash at `now`; `null` when it crashed too often. */
  next(now: number): number | null {
    this.#crashes = this.#crashes.filter((time) => now - time < SPAN_MS);
    this.#crashes.push(now);
    if (this.#crashes.length > MAX_CRASHES) {
      return null;
    }
    return 250 * 2 ** (this.#crashes.length - 1);
  }

  reset(): void {
    this.#crashes = [];
  }
}

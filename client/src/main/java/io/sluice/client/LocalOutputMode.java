package io.sluice.client;

/** When map tasks leave blocks in their engine's own map output files, on the local disks. */
public enum LocalOutputMode {
  /** Only those blocks that no server takes. */
  FALLBACK,
  /** All of them, first; servers get them afterwards, as far as that works. */
  ALWAYS,
  /** None: what no server takes fails the attempt. */
  NEVER
}

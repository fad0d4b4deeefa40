package io.sluice.coordinator.explain;

/** What slows an application down. Names are part of the REST API: never rename them. */
public enum Cause {
  /** Servers wrote or read their disks while tasks waited. */
  DISK,
  /** Servers were short of memory, and no disk write was about to free it. */
  MEMORY,
  /** Tasks waited for one server, or for its network, much longer than for others. */
  SERVER,
  /** Tasks waited for all servers alike: for data on the network, or for busy servers. */
  NETWORK,
  /** One task read much more than the others. */
  SKEW,
  /** Shuffles used the built-in shuffle of the engine. */
  FALLBACK,
  /** Map tasks wrote to local output, because servers did not accept blocks. */
  LOCAL_OUTPUT,
  /** Requests were repeated, or map tasks changed to replacement servers. */
  RETRIES
}

package io.sluice.client.coordinator;

import java.util.Arrays;

/**
 * Which server of an assignment replaces which one, and which servers move their data. Servers are
 * indexes in the assignment. Immutable.
 */
final class Replacements {
  private static final int NONE = -1;

  /** By server: index of its replacement, or -1. */
  private final int[] replacements;

  /**
   * By server: whether it moves its data. If it was replaced, this is the reason, not a failure.
   */
  private final boolean[] leaving;

  /** Takes both arrays, of the same length. */
  Replacements(int[] replacements, boolean[] leaving) {
    this.replacements = replacements;
    this.leaving = leaving;
  }

  /** No server is replaced. */
  static Replacements none(int servers) {
    int[] none = new int[servers];
    Arrays.fill(none, NONE);
    return new Replacements(none, new boolean[servers]);
  }

  /** Number of servers. */
  int count() {
    return replacements.length;
  }

  /** Whether a server was replaced. Servers that are not known yet were not. */
  boolean has(int server) {
    return server < replacements.length && replacements[server] >= 0;
  }

  /** Whether a server moves its data, and was not replaced for another reason. */
  boolean isLeaving(int server) {
    return leaving[server];
  }

  /** Index of the replacement of a server; -1 if it was not replaced. */
  int direct(int server) {
    return replacements[server];
  }

  /** Index of the last replacement of a server; the server itself if it was not replaced. */
  int last(int server) {
    int at = server;
    while (has(at)) {
      at = replacements[at];
    }
    return at;
  }

  /** Returns these replacements for at least a number of servers. */
  Replacements forServers(int servers) {
    if (servers <= replacements.length) {
      return this;
    }
    int[] wider = Arrays.copyOf(replacements, servers);
    Arrays.fill(wider, replacements.length, servers, NONE);
    return new Replacements(wider, Arrays.copyOf(leaving, servers));
  }

  /** Returns these replacements; a server that moved its data is given up. */
  Replacements givenUp(int server) {
    return leaving(server, false);
  }

  /** Returns these replacements; a server moves its data, but has no replacement. */
  Replacements leaving(int server) {
    return leaving(server, true);
  }

  private Replacements leaving(int server, boolean isLeaving) {
    boolean[] changed = leaving.clone();
    changed[server] = isLeaving;
    return new Replacements(replacements, changed);
  }

  /**
   * Returns these replacements and one more, of a server that was not replaced before.
   *
   * @param isLeaving whether the server moves its data; otherwise it failed
   */
  Replacements with(int server, int by, boolean isLeaving) {
    Replacements wider = forServers(by + 1);
    int[] changed = wider.replacements.clone();
    boolean[] changedLeaving = wider.leaving.clone();
    changed[server] = by;
    changedLeaving[server] = isLeaving;
    return new Replacements(changed, changedLeaving);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Replacements that
        && Arrays.equals(replacements, that.replacements)
        && Arrays.equals(leaving, that.leaving);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(replacements);
  }
}

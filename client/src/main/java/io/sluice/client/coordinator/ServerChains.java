package io.sluice.client.coordinator;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Changes of the chains of an assignment: arrays of indexes of servers, the newest server last.
 * Given arrays are not changed; each method returns the same array if nothing changes.
 */
final class ServerChains {
  private ServerChains() {}

  /** Adds a server directly behind another one, or moves it there from a position before. */
  static int[] withAfter(int[] chain, int server, int other) {
    int position = positionOf(chain, server);
    int present = positionOf(chain, other);
    if (position < 0 || present > position) {
      return chain;
    }
    // The other server moves behind if it was before, so that it is the newest again.
    return IntStream.range(0, chain.length)
        .filter(i -> i != present)
        .flatMap(i -> i == position ? IntStream.of(server, other) : IntStream.of(chain[i]))
        .toArray();
  }

  /**
   * Adds the server to which another one moves its data.
   *
   * @param newer whether the other server must be newer than the leaving one; otherwise any
   *     position will do
   */
  static int[] withMoved(
      int[] chain, int leaving, int other, boolean newer, Replacements replacements) {
    if (positionOf(chain, leaving) < 0 || (!newer && positionOf(chain, other) >= 0)) {
      return chain;
    }
    int[] with = withAfter(chain, leaving, other);
    // A replaced server must not be the newest.
    int at = other;
    while (replacements.has(at)) {
      with = withAfter(with, at, replacements.direct(at));
      at = replacements.direct(at);
    }
    return with;
  }

  /** Adds a replaced server, and the chain of its replacements, before the leaving server. */
  static int[] withBefore(int[] chain, int leaving, int other, Replacements replacements) {
    if (positionOf(chain, leaving) < 0) {
      return chain;
    }
    int[] with = chain;
    for (int at = other; at != leaving; at = replacements.direct(at)) {
      if (positionOf(with, at) < 0) {
        int added = at;
        with =
            Arrays.stream(with)
                .flatMap(one -> one == leaving ? IntStream.of(added, one) : IntStream.of(one))
                .toArray();
      }
    }
    return with;
  }

  /** Appends a server to each chain of a range whose newest server is a full one. */
  static int[][] withNewest(int[][] chains, int full, int other) {
    int[][] with = chains;
    for (int replica = 0; replica < chains.length; replica++) {
      int[] chain = chains[replica];
      if (chain[chain.length - 1] == full && positionOf(chain, other) < 0) {
        with = with == chains ? chains.clone() : with;
        with[replica] = Arrays.copyOf(chain, chain.length + 1);
        with[replica][chain.length] = other;
      }
    }
    return with;
  }

  private static int positionOf(int[] chain, int server) {
    for (int i = 0; i < chain.length; i++) {
      if (chain[i] == server) {
        return i;
      }
    }
    return -1;
  }
}

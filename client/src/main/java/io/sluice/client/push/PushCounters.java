package io.sluice.client.push;

/**
 * What a push session has done.
 *
 * @param contentBytes uncompressed bytes added
 * @param bytes bytes of blocks, headers included, counted once whatever the number of replicas
 * @param blocks blocks made
 * @param records records added
 * @param sentBytes bytes handed to connections, replicas and repetitions included
 * @param frames pushes handed to connections, replicas and repetitions included
 * @param retries pushes that were repeated
 * @param waitNanos time that the task waited for servers
 */
public record PushCounters(
    long contentBytes,
    long bytes,
    long blocks,
    long records,
    long sentBytes,
    long frames,
    long retries,
    long waitNanos,
    Elsewhere elsewhere) {
  public static final PushCounters ZERO =
      new PushCounters(0, 0, 0, 0, 0, 0, 0, 0, new Elsewhere(0, 0, 0, 0));

  /**
   * What did not go to the server that it was assigned to.
   *
   * @param localBytes bytes of frames that went to local output
   * @param localFrames frames that went to local output
   * @param replacementServers times that the session went on at a further server
   * @param reroutedFrames frames that were meant for one server and went to another
   */
  public record Elsewhere(
      long localBytes, long localFrames, long replacementServers, long reroutedFrames) {
    Elsewhere plus(Elsewhere other) {
      return new Elsewhere(
          localBytes + other.localBytes,
          localFrames + other.localFrames,
          replacementServers + other.replacementServers,
          reroutedFrames + other.reroutedFrames);
    }
  }

  public PushCounters plus(PushCounters other) {
    return new PushCounters(
        contentBytes + other.contentBytes,
        bytes + other.bytes,
        blocks + other.blocks,
        records + other.records,
        sentBytes + other.sentBytes,
        frames + other.frames,
        retries + other.retries,
        waitNanos + other.waitNanos,
        elsewhere.plus(other.elsewhere));
  }
}

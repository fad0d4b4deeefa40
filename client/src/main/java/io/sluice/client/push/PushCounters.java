package io.sluice.client.push;

import io.sluice.client.server.ServerTimes;

/**
 * Counters of one push session, or the sum of several.
 *
 * @param uncompressedBytes uncompressed bytes added
 * @param bytes bytes of blocks with headers, counted once for all replicas
 * @param blocks blocks created
 * @param records records added
 * @param sentBytes bytes sent, including replicas and retries
 * @param frames frames sent, including replicas and retries
 * @param retries frames that failed and were queued again
 * @param waitNanos time that the task waited for servers
 * @param servers bytes sent to each server, including copies and repeated frames, and the waits
 */
public record PushCounters(
    long uncompressedBytes,
    long bytes,
    long blocks,
    long records,
    long sentBytes,
    long frames,
    long retries,
    long waitNanos,
    Rerouted rerouted,
    ServerTimes servers) {
  public static final PushCounters ZERO =
      new PushCounters(0, 0, 0, 0, 0, 0, 0, 0, new Rerouted(0, 0, 0, 0), ServerTimes.NONE);

  /**
   * Frames that did not go to their assigned server.
   *
   * @param localBytes bytes of frames that went to local output
   * @param localFrames frames that went to local output
   * @param replacementServers number of switches to a replacement or additional server
   * @param reroutedFrames frames that moved from one server to another
   */
  public record Rerouted(
      long localBytes, long localFrames, long replacementServers, long reroutedFrames) {
    Rerouted plus(Rerouted other) {
      return new Rerouted(
          localBytes + other.localBytes,
          localFrames + other.localFrames,
          replacementServers + other.replacementServers,
          reroutedFrames + other.reroutedFrames);
    }
  }

  public PushCounters plus(PushCounters other) {
    return new PushCounters(
        uncompressedBytes + other.uncompressedBytes,
        bytes + other.bytes,
        blocks + other.blocks,
        records + other.records,
        sentBytes + other.sentBytes,
        frames + other.frames,
        retries + other.retries,
        waitNanos + other.waitNanos,
        rerouted.plus(other.rerouted),
        servers.plus(other.servers));
  }
}

package io.sluice.client.read;

import io.sluice.client.server.RetryPolicy;

/**
 * How partitions are read.
 *
 * @param sliceBytes most bytes of one Fetch; a server's own limit may be less
 * @param slicesInFlight slices asked for or held, of all servers together
 * @param maxContentBytes most bytes of one content, so that a damaged length cannot fill memory
 * @param silenceMs longest wait for any server to say anything; more than one request may take
 * @param retry for a server that cannot be reached, or answers that it cannot now
 */
public record ReadConfig(
    int sliceBytes, int slicesInFlight, int maxContentBytes, long silenceMs, RetryPolicy retry) {
  public ReadConfig {
    if (sliceBytes < 1024 || slicesInFlight < 1 || maxContentBytes < 1) {
      throw new IllegalArgumentException(
          "read: expected slices of at least 1024 bytes, one in flight, and contents of 1 byte,"
              + " found sliceBytes="
              + sliceBytes
              + " slicesInFlight="
              + slicesInFlight
              + " maxContentBytes="
              + maxContentBytes);
    }
  }
}

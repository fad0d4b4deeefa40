package io.sluice.common.error;

import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;

/**
 * A failure that has no code of its own, mostly a bug. The log has its cause with a random id, and
 * the peer gets the id: a cause may name files, classes, or data of others.
 */
public final class UnexpectedFailure {
  private UnexpectedFailure() {}

  /**
   * Logs the cause at ERROR.
   *
   * @param request what failed, of the process's own words
   * @param peer who asked
   * @return INTERNAL, with one line for the peer
   */
  public static SluiceException logged(Logger log, String request, Object peer, Throwable cause) {
    String id = String.format("%016x", ThreadLocalRandom.current().nextLong());
    log.error("request failed request={} peer={} failure={}", request, peer, id, cause);
    return new SluiceException(
        StatusCode.INTERNAL,
        request + " failed; the log of the process that answers has the cause as failure=" + id);
  }
}

package io.sluice.common.error;

import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;

/**
 * Reports a failure without a specific code, usually a bug. The cause is logged with a random id,
 * and the peer receives only the id, because a cause may name files, classes, or data of other
 * users.
 */
public final class UnexpectedFailure {
  private UnexpectedFailure() {}

  /**
   * Logs the cause at ERROR.
   *
   * @param request name of the failed request, not supplied by the peer
   * @param peer address of the caller
   * @return INTERNAL, with one line for the peer
   */
  public static SluiceException logged(Logger log, String request, Object peer, Throwable cause) {
    String id = String.format("%016x", ThreadLocalRandom.current().nextLong());
    log.error("request failed request={} peer={} failure={}", request, peer, id, cause);
    return new SluiceException(
        StatusCode.INTERNAL,
        request + " failed; the log of the called process has the cause with failure=" + id);
  }
}

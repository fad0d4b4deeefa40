package io.sluice.localcluster;

import java.io.IOException;

/**
 * A process of the cluster did not come up; the message is one line that says which one, why, and
 * where its log is.
 */
public final class ClusterStartException extends IOException {
  private static final long serialVersionUID = 1L;

  ClusterStartException(String message) {
    super(message);
  }

  ClusterStartException(String message, Throwable cause) {
    super(message, cause);
  }
}

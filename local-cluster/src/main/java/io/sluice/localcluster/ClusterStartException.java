package io.sluice.localcluster;

import java.io.IOException;

/**
 * A process of the cluster did not start. The message is one line with its name, the reason and its
 * log file.
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

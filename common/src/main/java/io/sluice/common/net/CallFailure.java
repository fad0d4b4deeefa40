package io.sluice.common.net;

import io.grpc.Status;
import javax.net.ssl.SSLException;

/**
 * One-line description of a failed gRPC call. gRPC's own text has several lines, such as channel
 * handlers or a stack trace.
 */
public final class CallFailure {
  private static final String CLOSED_BEFORE_TLS =
      "; the peer closed the connection before TLS: it may have reached a limit of connections"
          + " (rss.server.connections.per.peer.max, rss.coordinator.connections.per.peer.max or"
          + " …connections.max), which its log names, or it does not use TLS";

  private static final int MAX_CHARS = 300;

  private CallFailure() {}

  /** {@code UNAVAILABLE io exception (Connection refused: host/10.0.0.1:19997)}, for example. */
  public static String describe(Status status) {
    Throwable cause = status.getCause();
    if (isTls(status)) {
      return withHint("TLS failed: " + text(root(cause)));
    }
    String description = status.getDescription();
    StringBuilder line = new StringBuilder(status.getCode().name());
    if (description != null) {
      line.append(' ').append(firstLine(description));
    }
    if (cause != null) {
      line.append(" (").append(text(root(cause))).append(')');
    }
    return withHint(line.toString());
  }

  /**
   * Whether the TLS handshake failed, because of a certificate or because one side does not use
   * TLS.
   */
  public static boolean isTls(Status status) {
    for (Throwable at = status.getCause(); at != null; at = at.getCause()) {
      if (at instanceof SSLException) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the possible limits if the peer closed the connection before TLS; texts of gRPC, Netty.
   */
  private static String withHint(String reason) {
    return reason.contains("closed while performing TLS negotiation")
            || reason.contains("closed while SSL/TLS handshake was in progress")
        ? reason + CLOSED_BEFORE_TLS
        : reason;
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : firstLine(message);
  }

  private static String firstLine(String text) {
    String line = text.lines().findFirst().orElse("").strip();
    return line.length() <= MAX_CHARS ? line : line.substring(0, MAX_CHARS) + "…";
  }
}

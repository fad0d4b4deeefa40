package io.sluice.common.auth;

/**
 * One line of the audit log. What is not known is empty and left out.
 *
 * @param outcome {@code OK}, or the status that the caller was given
 * @param shuffle its number, or what was meant instead
 * @param peer address and port of the caller
 * @param reason why it was refused, or why it happened without a caller
 */
public record AuditEntry(
    Action action,
    String outcome,
    String application,
    String user,
    String shuffle,
    String peer,
    String reason) {

  /** What was done or attempted. */
  public enum Action {
    /** A driver registers its application. */
    REGISTER,
    /** A driver says that its application is over. */
    UNREGISTER,
    /** A driver wants servers for a shuffle. */
    ASSIGN,
    /** A lease ran out. */
    EXPIRE,
    /** Shuffles and their data are dropped. */
    DELETE,
    /** Servers take nothing more of an application, or take something again. */
    QUOTA,
    /** Somebody connects. Only refusals are written. */
    CONNECT
  }

  public static final String OK = "OK";

  /** What happened to an application without anybody's call. */
  public static AuditEntry happened(Action action, String application, String reason) {
    return new AuditEntry(action, OK, application, "", "", "", reason);
  }
}

package io.sluice.common.auth;

/**
 * One line of the audit log. Unknown fields are empty and omitted.
 *
 * @param outcome {@code OK}, or the status returned to the caller
 * @param shuffle shuffle numbers, or {@code all}
 * @param peer address and port of the caller
 * @param reason reason for the refusal, or cause of a change without a caller
 */
public record AuditEntry(
    Action action,
    String outcome,
    String application,
    String user,
    String shuffle,
    String peer,
    String reason) {

  /** Executed or attempted action. */
  public enum Action {
    /** A driver registers its application. */
    REGISTER,
    /** A driver unregisters its application. */
    UNREGISTER,
    /** A driver requests servers for a shuffle. */
    ASSIGN,
    /** A lease expired. */
    EXPIRE,
    /** Shuffles and their data are deleted. */
    DELETE,
    /** Servers refuse data of an application because of a quota, or accept it again. */
    QUOTA,
    /** A data connection is opened. Only refusals are written. */
    CONNECT
  }

  public static final String OK = "OK";

  /** An action that was not caused by a call. */
  public static AuditEntry happened(Action action, String application, String reason) {
    return new AuditEntry(action, OK, application, "", "", "", reason);
  }
}

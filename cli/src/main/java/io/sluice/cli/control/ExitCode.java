package io.sluice.cli.control;

/**
 * Exit codes of all {@code sluice} processes. A code has the same meaning in every command.
 * docs/operations.md lists them, and the systemd units restart services by them.
 */
public enum ExitCode {
  /** The command succeeded, or the service stopped cleanly after a signal. */
  DONE(0),

  /** The command failed, or the service could not start or resume. A restart can help. */
  FAILED(1),

  /** Wrong usage or configuration. A restart does not help. */
  WRONG_USAGE(2),

  /**
   * The Java heap is exhausted. The JVM chooses this code ({@code -XX:+ExitOnOutOfMemoryError}), so
   * no command may return it. A service must be restarted.
   */
  OUT_OF_MEMORY(3),

  /** The object named in the command is not known. */
  NOT_FOUND(4),

  /** The caller did not prove its identity, or has no permission. */
  DENIED(5),

  /**
   * The server was decommissioned: it must not be restarted. The code lies above those of sysexits
   * (64 to 78) and below those of shells for signals (from 126) and of systemd (from 200).
   */
  DECOMMISSIONED(80);

  private final int status;

  ExitCode(int status) {
    this.status = status;
  }

  /** The exit status of the process, 0 to 255. */
  public int status() {
    return status;
  }
}

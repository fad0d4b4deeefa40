package io.sluice.coordinator.state;

/** A request that must be logged was not carried out, because the log cannot be written. */
public final class LogUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LogUnavailableException(String why) {
    super("this coordinator cannot write its metadata log, nothing was changed: " + why);
  }
}

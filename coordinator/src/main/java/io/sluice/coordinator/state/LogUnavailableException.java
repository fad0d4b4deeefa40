package io.sluice.coordinator.state;

/** A request with logged changes failed because the metadata log cannot be written. */
public final class LogUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  LogUnavailableException(String why) {
    super("nothing was changed, the metadata log cannot be written: " + why);
  }
}

package io.sluice.coordinator.state;

/** Another coordinator decides requests, or none does because there is no quorum. */
public final class NotLeadingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotLeadingException() {
    super("this coordinator does not lead", null, false, false);
  }
}

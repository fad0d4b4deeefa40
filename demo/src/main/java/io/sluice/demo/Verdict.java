package io.sluice.demo;

/** Result of a comparison in a table. */
public enum Verdict {
  SAME("yes"),
  DIFFERENT("NO"),
  /**
   * Same result, but the data did not go through the servers; its time is no measurement of Sluice.
   */
  BYPASSED("yes, but not through Sluice");

  private final String label;

  Verdict(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}

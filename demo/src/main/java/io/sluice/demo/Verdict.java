package io.sluice.demo;

/** The word that a table says of what ran on both sides. */
public enum Verdict {
  SAME("yes"),
  DIFFERENT("NO"),
  /** The same, but not by way of the servers: then its time says nothing of Sluice. */
  AROUND("yes, but not through Sluice");

  private final String word;

  Verdict(String word) {
    this.word = word;
  }

  public String word() {
    return word;
  }
}

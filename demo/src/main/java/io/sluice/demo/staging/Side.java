package io.sluice.demo.staging;

import java.util.Locale;

/** Shuffle that an application uses in a comparison. */
public enum Side {
  /** Built-in shuffle of the engine. */
  BUILT_IN,
  SLUICE;

  /** Side that runs first in a round; alternates between rounds. */
  public static Side first(int round) {
    return round % 2 == 0 ? BUILT_IN : SLUICE;
  }

  /** Description for messages about Hadoop. */
  public String inHadoop() {
    return this == BUILT_IN ? "Hadoop's built-in shuffle" : "through Sluice";
  }

  /** Name for processes, directories and files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

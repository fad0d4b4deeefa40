package io.sluice.demo.staging;

import java.util.Locale;

/** Which shuffle an application uses. */
public enum Side {
  /** The engine's own. */
  OWN,
  SLUICE;

  /** The side that begins a round of a comparison: they take turns. */
  public static Side first(int round) {
    return round % 2 == 0 ? OWN : SLUICE;
  }

  /** The shuffle of programs on Hadoop, for messages. */
  public String inHadoop() {
    return this == OWN ? "Hadoop's own shuffle" : "through Sluice";
  }

  /** In the names of processes, directories and files. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

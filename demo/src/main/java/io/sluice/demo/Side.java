package io.sluice.demo;

import java.util.Locale;

/** Which shuffle an application uses. */
enum Side {
  /** The engine's own. */
  OWN,
  SLUICE;

  /** What programs on Hadoop run with. */
  String inHadoop() {
    return this == OWN ? "Hadoop's own shuffle" : "through Sluice";
  }

  /** In the names of processes, directories and files. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.sluice.demo;

import java.util.Locale;

/** Which shuffle an application uses. */
enum Side {
  /** Spark's own. */
  OWN,
  SLUICE;

  /** In the names of processes, directories and files. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}

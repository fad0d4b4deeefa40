package io.sluice.it.faults;

import io.sluice.it.spark.SparkApplication;

/** How an application is protected against the loss of servers. */
enum Mode {
  /** One copy at the servers; what none takes is kept locally. */
  FALLBACK,
  /** Local output first, servers behind. */
  ALWAYS,
  /** Two copies at the servers and nothing locally. */
  TWO_COPIES;

  SparkApplication configure(SparkApplication application) {
    return switch (this) {
      case FALLBACK -> application.set("spark.rss.local.output", "fallback");
      case ALWAYS -> application.set("spark.rss.local.output", "always");
      case TWO_COPIES ->
          application.set("spark.rss.local.output", "never").set("spark.rss.data.replica", "2");
    };
  }
}

package io.sluice.it.faults;

import io.sluice.it.spark.SparkApplication;

/** Protection of an application against the loss of servers. */
enum Mode {
  /** One replica; blocks that no server accepts are kept locally. */
  FALLBACK,
  /** Local output first, pushed to servers in the background. */
  ALWAYS,
  /** Two replicas and no local output. */
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

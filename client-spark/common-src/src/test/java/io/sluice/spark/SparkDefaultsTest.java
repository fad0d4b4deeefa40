package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SparkDefaultsTest {
  private static final String TRACKING = "spark.dynamicAllocation.shuffleTracking.enabled";

  private final SparkConf conf = new SparkConf(false);

  @Test
  void setsKeysThatTheUserHasNotSet() {
    SparkDefaults.apply(conf);

    assertThat(conf.get("spark.shuffle.sort.io.plugin.class"))
        .isEqualTo("org.apache.spark.shuffle.RssShuffleDataIo");
    assertThat(conf.getBoolean("spark.sql.adaptive.localShuffleReader.enabled", true)).isFalse();
    assertThat(conf.contains(TRACKING)).isFalse();
    assertThat(conf.contains("spark.shuffle.service.enabled")).isFalse();
  }

  @Test
  void keepsKeysThatTheUserHasSet() {
    conf.set("spark.shuffle.sort.io.plugin.class", "com.example.Io")
        .set("spark.sql.adaptive.localShuffleReader.enabled", "true")
        .set("spark.shuffle.service.enabled", "true");

    SparkDefaults.apply(conf);

    assertThat(conf.get("spark.shuffle.sort.io.plugin.class")).isEqualTo("com.example.Io");
    assertThat(conf.getBoolean("spark.sql.adaptive.localShuffleReader.enabled", false)).isTrue();
    assertThat(conf.getBoolean("spark.shuffle.service.enabled", false)).isTrue();
  }

  @Test
  void tracksFilesOfTheBuiltInShuffleUnlessTheyOutliveExecutors() {
    assertThat(tracksFiles("spark.dynamicAllocation.enabled")).isTrue();
    assertThat(tracksFiles()).as("executors are not released").isFalse();
    assertThat(tracksFiles("spark.dynamicAllocation.enabled", "spark.shuffle.service.enabled"))
        .isFalse();
    assertThat(
            tracksFiles(
                "spark.dynamicAllocation.enabled",
                "spark.decommission.enabled",
                "spark.storage.decommission.enabled",
                "spark.storage.decommission.shuffleBlocks.enabled"))
        .isFalse();
  }

  private static boolean tracksFiles(String... enabled) {
    SparkConf conf = new SparkConf(false).set(TRACKING, "false");
    for (String key : enabled) {
      conf.set(key, "true");
    }
    SparkDefaults.apply(conf);
    return conf.getBoolean(TRACKING, false);
  }

  @Test
  void turnsOffFeaturesThatNeedLocalFiles() {
    conf.set("spark.shuffle.push.enabled", "true")
        .set("spark.files.fetchFailure.unRegisterOutputOnHost", "true");

    SparkDefaults.apply(conf);

    assertThat(conf.getBoolean("spark.shuffle.push.enabled", true)).isFalse();
    assertThat(conf.getBoolean("spark.files.fetchFailure.unRegisterOutputOnHost", true)).isFalse();
  }
}

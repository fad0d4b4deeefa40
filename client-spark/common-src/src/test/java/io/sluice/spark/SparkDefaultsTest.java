package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class SparkDefaultsTest {
  private final SparkConf conf = new SparkConf(false);

  @Test
  void setsWhatTheUserHasNot() {
    SparkDefaults.apply(conf);

    assertThat(conf.get("spark.shuffle.sort.io.plugin.class"))
        .isEqualTo("org.apache.spark.shuffle.RssShuffleDataIo");
    assertThat(conf.getBoolean("spark.sql.adaptive.localShuffleReader.enabled", true)).isFalse();
    assertThat(conf.getBoolean("spark.dynamicAllocation.shuffleTracking.enabled", true)).isFalse();
    assertThat(conf.contains("spark.shuffle.service.enabled")).isFalse();
  }

  @Test
  void leavesWhatTheUserHasSet() {
    conf.set("spark.shuffle.sort.io.plugin.class", "com.example.Io")
        .set("spark.sql.adaptive.localShuffleReader.enabled", "true")
        .set("spark.shuffle.service.enabled", "true");

    SparkDefaults.apply(conf);

    assertThat(conf.get("spark.shuffle.sort.io.plugin.class")).isEqualTo("com.example.Io");
    assertThat(conf.getBoolean("spark.sql.adaptive.localShuffleReader.enabled", false)).isTrue();
    assertThat(conf.getBoolean("spark.shuffle.service.enabled", false)).isTrue();
  }

  @Test
  void switchesOffWhatWouldLookForLocalFiles() {
    conf.set("spark.shuffle.push.enabled", "true")
        .set("spark.files.fetchFailure.unRegisterOutputOnHost", "true");

    SparkDefaults.apply(conf);

    assertThat(conf.getBoolean("spark.shuffle.push.enabled", true)).isFalse();
    assertThat(conf.getBoolean("spark.files.fetchFailure.unRegisterOutputOnHost", true)).isFalse();
  }
}

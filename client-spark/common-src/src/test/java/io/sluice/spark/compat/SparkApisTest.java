package io.sluice.spark.compat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SparkApisTest {
  private static final ClassLoader LOADER = SparkApisTest.class.getClassLoader();
  private static final String PRESENT = "org.apache.spark.SparkConf";
  private static final String ABSENT = "org.apache.spark.NoSuchClass";

  @Test
  void anOlderSparkUsesThePlainApi() {
    assertThat(SparkApis.find(LOADER, ABSENT, ABSENT)).isInstanceOf(PlainSparkApi.class);
  }

  @Test
  void aNewerSparkNeedsItsImplementation() {
    assertThat(SparkApis.find(LOADER, PRESENT, PlainSparkApi.class.getName()))
        .isInstanceOf(PlainSparkApi.class);
    assertThat(SparkApis.find(LOADER, PRESENT, ABSENT)).isNull();
  }
}

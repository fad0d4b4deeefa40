package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobDefaultsTest {
  private static final String OPTIONS = "mapreduce.reduce.java.opts";
  private static final String REPORTS = "mapreduce.reduce.shuffle.max-fetch-failures-notifications";
  private static final String SHARE = "mapreduce.reduce.shuffle.max-fetch-failures-fraction";

  private static JobConf after(Map<String, String> configured) {
    JobConf conf = new JobConf();
    configured.forEach(conf::set);
    JobDefaults.set(conf);
    return conf;
  }

  @Test
  void oneReportOfAReduceTaskIsEnough() {
    JobConf conf = after(Map.of());

    assertThat(conf.get(REPORTS)).isEqualTo("1");
    assertThat(conf.getFloat(SHARE, 1)).isZero();
  }

  @Test
  void aJobKeepsItsNumberOfReports() {
    JobConf conf = after(Map.of(REPORTS, "7", SHARE, "0.9"));

    assertThat(conf.get(REPORTS)).isEqualTo("7");
    assertThat(conf.get(SHARE)).isEqualTo("0.9");
  }

  @ParameterizedTest
  @CsvSource({
    "mapreduce.reduce.memory.mb, 2048, -XX:MetaspaceSize=64m",
    "mapreduce.reduce.java.opts, -Xmx900m, -Xmx900m -XX:MetaspaceSize=64m",
    "mapred.child.java.opts, -Xmx700m, -Xmx700m -XX:MetaspaceSize=64m",
    "mapreduce.reduce.java.opts, -XX:MetaspaceSize=30m -Xmx1g, -XX:MetaspaceSize=30m -Xmx1g",
    "mapreduce.admin.reduce.child.java.opts, -XX:MetaspaceSize=90m, ",
  })
  void aReduceTaskStartsWithRoomForItsClasses(String key, String value, String options) {
    assertThat(after(Map.of(key, value)).get(OPTIONS)).isEqualTo(options);
  }
}

package io.sluice.client.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteDirectoryTest {
  private static final String RUN = "00112233445566778899aabbccddeeff.run";

  @ParameterizedTest
  @CsvSource({
    "hdfs://cluster/sluice, hdfs://cluster/sluice/app-1/host_01/",
    "hdfs://cluster/sluice/, hdfs://cluster/sluice/alice~app_1/host_01/",
    "HDFS://Cluster:8020/sluice, hdfs://cluster:8020/sluice/=.app/host.example_01/",
    "hdfs://cluster/sluice, hdfs://cluster/sluice/svc+etl@CORP$~app-1/host_01/",
    "file:///mnt/shared, file:/mnt/shared/app/server/",
    "file:/mnt/shared, file:///mnt/shared/app/server/",
    "s3a://bucket/, s3a://bucket/app/server/",
    "hdfs://cluster/with blank, hdfs://cluster/with blank/app/server/",
  })
  void acceptsAFileBelowTheDirectory(String directory, String above) throws IOException {
    assertThat(RemoteDirectory.parse(directory).fileIn(above + RUN)).isEqualTo(RUN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/cluster/sluice/app/server/",
        "file:/sluice/app/server/",
        "hdfs:/sluice/app/server/",
        "hdfs://other/sluice/app/server/",
        "hdfs://cluster:1/sluice/app/server/",
        "hdfs://cluster@evil/sluice/app/server/",
        "hdfs://cluster/other/app/server/",
        "hdfs://cluster/sluice-other/app/server/",
        "hdfs://cluster/sluiceother/",
        "hdfs://cluster/sluice/../secret/",
        "hdfs://cluster/sluice/app/../../secret/",
        "hdfs://cluster/sluice/./",
        "hdfs://cluster/sluice//app/",
        "hdfs://cluster//sluice/app/",
        "hdfs://cluster/sluice/app/server?x=/",
        "hdfs://cluster/sluice/app%2f..%2f/",
        "hdfs://cluster/sluice/app\n/",
      })
  void rejectsAFileOutsideTheDirectory(String above) {
    assertThatThrownBy(() -> RemoteDirectory.parse("hdfs://cluster/sluice").fileIn(above + RUN))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "the server returned a run file outside of"
                + " rss.client.read.remote.path=hdfs://cluster/sluice");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "sluice", "/sluice", "hdfs", "hdfs://cluster", "hdfs://c/a/../b"})
  void rejectsADirectoryWithoutScheme(String text) {
    assertThat(RemoteDirectory.isOne(text)).isFalse();
    assertThatThrownBy(() -> RemoteDirectory.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a directory with its scheme");
  }

  @Test
  void isPrintedAsServersPrintIt() {
    assertThat(RemoteDirectory.parse("file:///mnt/x/")).hasToString("file:/mnt/x");
    assertThat(RemoteDirectory.parse("hdfs://C/x")).hasToString("hdfs://c/x");
  }
}

package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class DemoCommandTest {
  @ParameterizedTest
  @CsvSource({
    "--scale 0, --scale",
    "--scale NaN, --scale",
    "--servers 0, --servers",
    "--coordinators 0, --coordinators",
    "--partitions -1, --partitions",
    "--query-timeout 0, --query-timeout",
    "--queries 23, --queries",
    "--transport CARRIER_PIGEON, --transport",
    "--engine flink, --engine",
    "--workload tpcx, --workload",
    "--workload tpcds --queries 100, 'expected numbers from 1 to 99'",
    "--workload tpcds, no queries of TPC-DS",
    "--engine mapreduce --workload tpcds, --workload: only with --engine spark",
    "--engine mapreduce --scale 0, --scale",
    "--engine mapreduce --queries 1, --queries: only with --engine spark",
    "--engine mapreduce --spark-home /opt/spark, --spark-home: only with --engine spark",
    "--engine mapreduce --secure=dir, --secure=DIRECTORY: only with --engine spark",
    "--secure=no/such, '--secure: no/such/spark-defaults.conf cannot be read; create the"
        + " directory'",
    "--secure --coordinator c:1, --secure without a directory starts a cluster",
    "--comet-jar x.jar --queries 1, --comet-jar: only with --engine comet",
    "--engine mapreduce --comet-jar x.jar, --comet-jar: only with --engine comet",
    "--engine mapreduce, no Hadoop"
  })
  void refusesInvalidOptionsWithOneLine(String arguments, String named) {
    StringWriter err = new StringWriter();
    CommandLine line =
        new CommandLine(new DemoCommand(unused -> null)).setErr(new PrintWriter(err, true));

    int exitCode = line.execute(arguments.split(" "));

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString().lines().findFirst().orElse("")).contains(named);
  }
}

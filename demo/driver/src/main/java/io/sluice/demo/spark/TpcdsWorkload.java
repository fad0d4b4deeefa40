package io.sluice.demo.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** TPC-DS with the queries in the jar of Spark's published tests. */
final class TpcdsWorkload extends SparkWorkload {
  private final Optional<Path> queryTexts;

  TpcdsWorkload(Optional<Path> queryTexts) {
    super(new TpcdsTables());
    this.queryTexts = queryTexts;
  }

  @Override
  String warmUp() {
    return """
        SELECT /*+ MERGE(w, s) */ w_state, count(*) AS pairs, sum(s_store_sk) AS keys
        FROM warehouse w JOIN store s ON w_warehouse_sk = s_store_sk
        GROUP BY w_state
        ORDER BY pairs DESC, w_state
        """;
  }

  @Override
  public String text(String query, double scale) throws IOException {
    Path testsJar =
        queryTexts.orElseThrow(
            () ->
                new IllegalStateException(
                    "the jar of Spark's tests with the queries of TPC-DS is not set"));
    try (ZipFile jar = new ZipFile(testsJar.toFile())) {
      ZipEntry entry = jar.getEntry("tpcds/q" + query + ".sql");
      if (entry == null) {
        throw new IllegalArgumentException(testsJar + " has no query " + query + " of TPC-DS");
      }
      return new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

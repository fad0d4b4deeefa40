package io.sluice.demo.spark;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** TPC-H with the validation parameters of the specification. */
final class TpchWorkload extends SparkWorkload {
  TpchWorkload() {
    super(new TpchTables());
  }

  @Override
  String warmUp() {
    return """
        SELECT /*+ MERGE(n, r) */ r_name, count(*) AS nations, sum(n_nationkey) AS keys
        FROM nation n JOIN region r ON n_regionkey = r_regionkey
        GROUP BY r_name
        ORDER BY nations DESC, r_name
        """;
  }

  /** Replaces the fraction in query 11, which depends on the scale factor. */
  @Override
  public String text(String query, double scale) throws IOException {
    try (InputStream in = getClass().getResourceAsStream("tpch/q" + query + ".sql")) {
      if (in == null) {
        throw new IllegalArgumentException("TPC-H has no query " + query);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("${fraction}", fraction(scale));
    }
  }

  /** 0.0001 divided by the scale factor, as a decimal literal, so that query 11 stays exact. */
  private static String fraction(double scale) {
    return new BigDecimal("0.0001")
        .divide(BigDecimal.valueOf(scale), 10, RoundingMode.HALF_UP)
        .toPlainString();
  }
}

package io.sluice.demo.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/** The 22 queries of TPC-H with the specification's validation parameters, in Spark's dialect. */
public final class TpchQueries {
  static final int COUNT = 22;

  private TpchQueries() {}

  /**
   * The text of query {@code number}, from 1.
   *
   * @param scale scale factor; query 11 compares with a share of the total that depends on it
   */
  public static String text(int number, double scale) {
    String name = "tpch/q%02d.sql".formatted(number);
    try (InputStream in = TpchQueries.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("TPC-H has queries 1 to " + COUNT + ", not " + number);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.replace("${fraction}", fraction(scale));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + name, e);
    }
  }

  /** 0.0001 divided by the scale factor, as a decimal literal, so that query 11 stays exact. */
  private static String fraction(double scale) {
    return new BigDecimal("0.0001")
        .divide(BigDecimal.valueOf(scale), 10, RoundingMode.HALF_UP)
        .toPlainString();
  }
}

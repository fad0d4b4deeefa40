package io.sluice.benchmark.rows;

import io.sluice.benchmark.engine.TabledOutcome;
import io.sluice.benchmark.rows.RowExchange.Blocks;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.common.block.BlockCodec;
import io.sluice.demo.driver.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Table of exchanges and sums. */
final class RowTable implements TabledOutcome {
  private static final double MEGABYTE = 1e6;

  /** Bytes per nanosecond are thousand megabytes per second. */
  private static final double MEGABYTES_PER_SECOND = 1e3;

  private final double shownBytes;
  private final List<RowExchange> exchanges = new ArrayList<>();

  /**
   * @param shownBytes minimum bytes of an exchange with its own line
   */
  RowTable(double shownBytes) {
    this.shownBytes = shownBytes;
  }

  void add(RowExchange exchange) {
    exchanges.add(exchange);
  }

  /** Queries and their sums, per codec and workload. */
  private Map<String, RowExchange> sums(BlockCodec codec, boolean byQuery) {
    Map<String, RowExchange> sums = new LinkedHashMap<>();
    for (RowExchange one : exchanges) {
      if (one.codec() == codec) {
        boolean isJob = !one.query().matches(".*-\\d+[ab]?");
        String name = byQuery || isJob ? title(one.query()) : "all of " + workload(one.query());
        sums.merge(name, one.plus(nothing(codec), name), (sum, more) -> sum.plus(more, name));
        if (!byQuery && !isJob) {
          sums.merge("all", one.plus(nothing(codec), "all"), (sum, more) -> sum.plus(more, "all"));
        }
      }
    }
    return sums;
  }

  private static String workload(String query) {
    return Workload.of(query.substring(0, query.indexOf('-'))).title();
  }

  /** Such as {@code TPC-H 3} for {@code tpch-3}. */
  private static String title(String query) {
    return workload(query) + " " + query.substring(query.indexOf('-') + 1);
  }

  private static RowExchange nothing(BlockCodec codec) {
    Blocks none = new Blocks(0, 0, 0, 0);
    return new RowExchange("", 0, codec, 0, none, none);
  }

  /** True if no query has more bytes with row planes. */
  @Override
  public boolean isGood() {
    return exchanges.stream()
        .map(RowExchange::codec)
        .distinct()
        .flatMap(codec -> sums(codec, true).values().stream())
        .allMatch(query -> query.ratio() <= 1);
  }

  @Override
  public List<BenchTable> tables() {
    BenchTable table =
        new BenchTable(
            "rows",
            "Row planes",
            Column.text("codec"),
            Column.text("exchange"),
            Column.number("serialized, MB", 1),
            Column.number("without, MB", 2),
            Column.number("with, MB", 2),
            Column.number("ratio", 2),
            Column.number("reported", 3),
            Column.number("write without, MB/s", 0),
            Column.number("write with", 0),
            Column.number("read without", 0),
            Column.number("read with", 0));
    for (BlockCodec codec : exchanges.stream().map(RowExchange::codec).distinct().toList()) {
      for (RowExchange one : exchanges) {
        if (one.codec() == codec && one.bytes() >= shownBytes) {
          row(table, one, title(one.query()) + ", " + one.exchange());
        }
      }
      sums(codec, false).forEach((name, sum) -> row(table, sum, "**" + name + "**"));
    }
    return List.of(table);
  }

  @Override
  public String remarks() {
    return "";
  }

  private static void row(BenchTable table, RowExchange one, String name) {
    table.row(
        one.codec().toString(),
        name,
        one.bytes() / MEGABYTE,
        one.plain().bytes() / MEGABYTE,
        one.encoded().bytes() / MEGABYTE,
        one.ratio(),
        one.encoded().reportedBytes() / one.plain().reportedBytes(),
        one.bytes() / one.plain().writeNanos() * MEGABYTES_PER_SECOND,
        one.bytes() / one.encoded().writeNanos() * MEGABYTES_PER_SECOND,
        one.bytes() / one.plain().readNanos() * MEGABYTES_PER_SECOND,
        one.bytes() / one.encoded().readNanos() * MEGABYTES_PER_SECOND);
  }
}

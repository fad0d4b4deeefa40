package io.sluice.benchmark.engine;

import io.sluice.cli.bench.BenchTable;
import io.sluice.demo.Comparison;
import java.util.List;
import java.util.stream.Collectors;

/** Result of a benchmark that is a comparison: tables of figures, and lines about differences. */
public interface TabledOutcome extends Comparison.Outcome {

  List<BenchTable> tables();

  /** Remarks on the tables for the file of results, one sentence each. */
  default List<String> notes() {
    return List.of();
  }

  /** Lines below the tables, such as wrong results; each ends with a line break. */
  String remarks();

  /** Renders the tables as Markdown. */
  @Override
  default String render() {
    return tables().stream().map(BenchTable::toMarkdown).collect(Collectors.joining("\n"))
        + remarks();
  }
}

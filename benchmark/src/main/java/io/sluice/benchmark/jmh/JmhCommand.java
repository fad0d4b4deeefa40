package io.sluice.benchmark.jmh;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.cli.bench.ResultOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice bench jmh}. */
@Command(
    name = "jmh",
    description =
        "Run JMH microbenchmarks of the block codec, receipts, push framing, the server's log, proofs"
            + " of connections, and control calls.",
    footer = {
      "%nOptions of JMH: ./sluice bench jmh -- -h",
      "List benchmarks: ./sluice bench jmh -l"
    })
public final class JmhCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ResultOptions results;

  @Parameters(
      paramLabel = "OPTION",
      description = "Options of JMH and regular expressions that select benchmarks.")
  private List<String> options = new ArrayList<>();

  private JmhCommand() {}

  /** Creates the command; it passes unknown options to JMH. */
  public static CommandLine commandLine() {
    return new CommandLine(new JmhCommand())
        .setUnmatchedOptionsArePositionalParams(true)
        .setStopAtPositional(true);
  }

  @Override
  public Integer call() throws Exception {
    CommandLineOptions parsed;
    try {
      parsed = new CommandLineOptions(options.toArray(String[]::new));
    } catch (CommandLineOptionException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    run(parsed);
    return 0;
  }

  private void run(CommandLineOptions options) throws Exception {
    Runner runner = new Runner(options);
    if (options.shouldHelp()) {
      options.showHelp();
    } else if (options.shouldList()) {
      runner.list();
    } else if (options.shouldListWithParams()) {
      runner.listWithParams(options);
    } else if (options.shouldListProfilers()) {
      options.listProfilers();
    } else if (options.shouldListResultFormats()) {
      options.listResultFormats();
    } else {
      Collection<RunResult> measured = runner.run();
      if (measured.isEmpty()) {
        throw new RunnerException("no benchmark returned a result");
      }
      results.write(List.of(table(measured)), List.of());
    }
  }

  /** JMH prints its own table; this one is for files. */
  private static BenchTable table(Collection<RunResult> measured) {
    BenchTable table =
        new BenchTable(
            "jmh",
            "Microbenchmarks",
            Column.text("benchmark"),
            Column.text("parameters"),
            Column.text("mode"),
            Column.number("score", 3),
            Column.number("error (99.9 %)", 3),
            Column.text("unit"));
    for (RunResult one : measured) {
      BenchmarkParams params = one.getParams();
      String name = params.getBenchmark();
      double error = one.getPrimaryResult().getScoreError();
      table.row(
          name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
          params.getParamsKeys().stream()
              .map(key -> key + "=" + params.getParam(key))
              .collect(Collectors.joining(", ")),
          params.getMode().shortLabel(),
          one.getPrimaryResult().getScore(),
          Double.isFinite(error) ? (Double) error : null,
          one.getPrimaryResult().getScoreUnit());
    }
    return table;
  }
}

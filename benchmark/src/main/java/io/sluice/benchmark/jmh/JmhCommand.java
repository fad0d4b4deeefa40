package io.sluice.benchmark.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice bench jmh}. */
@Command(
    name = "jmh",
    description =
        "Run microbenchmarks with JMH: the block codec, the framing of pushes, the server's log.",
    footer = {
      "%nJMH's own options: ./sluice bench jmh -- -h",
      "List benchmarks: ./sluice bench jmh -l"
    })
public final class JmhCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "OPTION",
      description = "Options of JMH and regular expressions for names of benchmarks.")
  private List<String> options = new ArrayList<>();

  private JmhCommand() {}

  /** The command, which leaves options that it does not know to JMH. */
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

  private static void run(CommandLineOptions options) throws Exception {
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
    } else if (runner.run().isEmpty()) {
      throw new RunnerException("no benchmark has a result");
    }
  }
}

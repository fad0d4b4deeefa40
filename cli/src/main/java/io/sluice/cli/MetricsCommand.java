package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice metrics}: prints {@code docs/metrics.md}. */
@Command(
    name = "metrics",
    description = "Print all metrics with type, labels and description, as Markdown.")
final class MetricsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(MetricsPage.render());
    spec.commandLine().getOut().flush();
    return 0;
  }
}

package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice metrics}: the page that {@code docs/metrics.md} holds. */
@Command(
    name = "metrics",
    description = "Print every metric, with type, labels and meaning, as Markdown.")
final class MetricsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(MetricsPage.render());
    spec.commandLine().getOut().flush();
    return 0;
  }
}

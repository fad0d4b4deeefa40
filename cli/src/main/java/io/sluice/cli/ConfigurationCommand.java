package io.sluice.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice configuration}: prints {@code docs/configuration.md}. */
@Command(
    name = "configuration",
    description = "Print all configuration keys with defaults and descriptions, as Markdown.")
final class ConfigurationCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(ConfigurationPage.render());
    spec.commandLine().getOut().flush();
    return 0;
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.admin.rolling.RollingRestartCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the commands that look into a cluster, or mend it. */
@Command(
    name = "admin",
    description = "Look into a running cluster and change it, or mend a stopped server.",
    subcommands = {
      ServersCommand.class,
      ApplicationsCommand.class,
      StatusCommand.class,
      DecommissionCommand.class,
      DrainCommand.class,
      RollingRestartCommand.class,
      DeleteApplicationCommand.class,
      RebuildCatalogCommand.class
    })
public final class AdminCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of " + spec.subcommands().keySet());
  }
}

package io.sluice.cli.admin;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the commands that look into a cluster, or mend it. */
@Command(
    name = "admin",
    description = "Look into a running cluster and change it, or mend a stopped server.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: one line says what",
      "2:wrong usage",
      "4:what was named is not known",
      "5:denied: the caller did not prove who it is, or may not do this"
    },
    subcommands = {
      ClusterCommand.class,
      ServersCommand.class,
      ApplicationsCommand.class,
      ShufflesCommand.class,
      EventsCommand.class,
      BalanceCommand.class,
      QuotasCommand.class,
      TopCommand.class,
      StatusCommand.class,
      DecommissionCommand.class,
      DrainCommand.class,
      RollingRestartCommand.class,
      ExclusionCommands.Exclude.class,
      ExclusionCommands.Include.class,
      ExclusionCommands.Exclusions.class,
      DeleteApplicationCommand.class,
      ReloadCommand.class,
      RebuildCatalogCommand.class
    })
public final class AdminCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of " + spec.subcommands().keySet());
  }
}

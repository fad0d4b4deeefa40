package io.sluice.cli.admin;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Parent of the commands that inspect, change or repair a cluster. */
@Command(
    name = "admin",
    description = "Inspect and change a running cluster, or repair a stopped server.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed; the error message names the cause",
      "2:wrong usage",
      "4:the named object is not known",
      "5:denied: authentication failed, or permission is missing"
    },
    subcommands = {
      ClusterCommand.class,
      ServersCommand.class,
      ApplicationsCommand.class,
      FinishedApplicationsCommand.class,
      ShufflesCommand.class,
      ExplainCommand.class,
      EventsCommand.class,
      BalanceCommand.class,
      ScaleAdviceCommand.class,
      QuotasCommand.class,
      TopCommand.class,
      StatusCommand.class,
      ThreadsCommand.class,
      ShowConfigurationCommand.class,
      DecommissionCommand.class,
      DrainCommand.class,
      RollingRestartCommand.class,
      ExclusionCommands.Exclude.class,
      ExclusionCommands.Include.class,
      ExclusionCommands.Exclusions.class,
      DeleteApplicationCommand.class,
      RevocationCommands.Revoke.class,
      RevocationCommands.Revocations.class,
      CoordinatorCommands.Members.class,
      CoordinatorCommands.Add.class,
      CoordinatorCommands.Remove.class,
      BackupCommand.class,
      ReloadCommand.class,
      RebuildCatalogCommand.class
    })
public final class AdminCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing; expected one of " + spec.subcommands().keySet());
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.DurationText;
import io.sluice.proto.ServerInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin rolling-restart}. */
@Command(
    name = "rolling-restart",
    description = {
      "Restart servers one after another, while jobs run: each takes no new assignment, writes its memory to disk, is restarted,"
          + " and must be back and well before the next one.",
      "Stops at the first trouble. Servers that are done stay as they are: the command can be given again."
    },
    exitCodeList = {
      "0:all were restarted; with --dry-run: all could be",
      "1:stopped, with one line that says why",
      "2:wrong usage"
    })
public final class RollingRestartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "0..*",
      paramLabel = "SERVER",
      description = "Names of servers, in this order; default: all, in the order of their names.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--restart-command",
      paramLabel = "COMMAND",
      description = {
        "Given to `sh -c` for each server, with SLUICE_SERVER, SLUICE_HOST and SLUICE_PORT in its environment, such as"
            + " 'ssh \"$SLUICE_HOST\" systemctl restart sluice-server'.",
        "Without it, somebody else restarts the server that is named, within --restart-timeout."
      })
  private String restartCommand;

  @Option(names = "--dry-run", description = "Tell what would be done; restart nothing.")
  private boolean dryRun;

  @Option(
      names = "--drain-timeout",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = OptionTypes.Millis.class,
      description =
          "Wait so long until a server has written its memory; its stop writes the rest. Default ${DEFAULT-VALUE}.")
  private long drainMs;

  @Option(
      names = "--restart-timeout",
      paramLabel = "TIME",
      defaultValue = "15m",
      converter = OptionTypes.Millis.class,
      description =
          "Most for the restart command, and again for the server to be back. Default ${DEFAULT-VALUE}.")
  private long restartMs;

  @Option(
      names = "--settle",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = OptionTypes.Millis.class,
      description = "How long it must be well before the next one. Default ${DEFAULT-VALUE}.")
  private long settleMs;

  @Option(
      names = "--poll",
      hidden = true,
      defaultValue = "2s",
      converter = OptionTypes.Millis.class)
  private long pollMs;

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlledCluster cluster = new ControlledCluster(quorum)) {
      RollingRestart restart =
          new RollingRestart(
              cluster,
              restarter(),
              new RollingRestart.Times(drainMs, restartMs, settleMs, pollMs),
              System::nanoTime,
              TimeUnit.MILLISECONDS::sleep,
              this::print);
      List<ServerInfo> plan = restart.plan(servers);
      if (dryRun) {
        for (ServerInfo info : plan) {
          print(info.getServer().getName() + ": would be drained and restarted");
        }
        return 0;
      }
      print(restart.run(plan) + " servers restarted");
      return 0;
    }
  }

  private Restarter restarter() {
    if (restartCommand != null) {
      return new ShellRestarter(restartCommand, restartMs);
    }
    return server ->
        print(
            server.getName()
                + ": restart it now; it has "
                + DurationText.print(restartMs)
                + " to come back");
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}

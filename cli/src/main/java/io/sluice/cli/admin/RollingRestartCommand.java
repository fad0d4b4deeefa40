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
      "Restart servers one after another while jobs run. Each server is drained, "
          + "restarted, and must be active again before"
          + " the next one is drained.",
      "The first failure ends the command. It can be repeated for the remaining servers."
    },
    exitCodeList = {
      "0:all servers were restarted; with --dry-run: all can be restarted",
      "1:failed; the error message names the cause",
      "2:wrong usage"
    })
public final class RollingRestartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "0..*",
      paramLabel = "SERVER",
      description =
          "Names of servers, restarted in this order; default: all servers, sorted by name.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--restart-command",
      paramLabel = "COMMAND",
      description = {
        "Command that `sh -c` runs for each server, with SLUICE_SERVER, SLUICE_HOST and "
            + "SLUICE_PORT in its environment, such as"
            + " 'ssh \"$SLUICE_HOST\" systemctl restart sluice-server'.",
        "Without it, restart each printed server yourself within --restart-timeout."
      })
  private String restartCommand;

  @Option(
      names = "--dry-run",
      description = "Print the servers that would be restarted; restart none.")
  private boolean dryRun;

  @Option(
      names = "--drain-timeout",
      paramLabel = "TIME",
      defaultValue = "1m",
      converter = OptionTypes.Millis.class,
      description =
          "Time to wait until a drained server has written its memory; its stop writes the "
              + "rest. Default ${DEFAULT-VALUE}.")
  private long drainMs;

  @Option(
      names = "--restart-timeout",
      paramLabel = "TIME",
      defaultValue = "15m",
      converter = OptionTypes.Millis.class,
      description =
          "Timeout of the restart command, and timeout until the server is active again. "
              + "Default ${DEFAULT-VALUE}.")
  private long restartMs;

  @Option(
      names = "--settle",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = OptionTypes.Millis.class,
      description =
          "Time for which a restarted server must stay active before the next one is "
              + "drained. Default ${DEFAULT-VALUE}.")
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
                + ": restart it now; it must be active within "
                + DurationText.print(restartMs));
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.control.QuorumOptions;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin drain}. */
@Command(
    name = "drain",
    description = {
      "Drain servers: they get no new assignments, write their memory to disk and serve "
          + "their data. The drain ends with a"
          + " restart or with --cancel.",
      "Use it before stopping a server by other means, such as replacing a host or "
          + "removing a pod. To let servers exit by"
          + " themselves, use decommission."
    },
    exitCodeList = {
      "0:the servers accepted the request; with --wait: they store no data",
      "1:failed, or --wait-timeout expired",
      "2:wrong usage"
    })
final class DrainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "1..*",
      paramLabel = "SERVER",
      description = "Names of servers, as listed by `sluice admin servers`.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--cancel",
      description = "Cancel the drain; the servers accept assignments again.")
  private boolean cancel;

  @Option(names = "--ignore-missing", description = "Skip servers that are unknown or lost.")
  private boolean ignoreMissing;

  @Option(
      names = "--wait",
      description = "Wait until the servers store no data, and print their stored data meanwhile.")
  private boolean wait;

  @Mixin private WaitOptions waiting = new WaitOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlledCluster cluster = new ControlledCluster(quorum)) {
      List<String> drained = new ArrayList<>();
      List<ServerInfo> known = cluster.servers();
      for (String name : servers) {
        Optional<ServerInfo> info = find(known, name);
        if (info.isPresent()) {
          request(cluster, info.get());
          drained.add(name);
        } else if (ignoreMissing) {
          print(name + ": not known");
        } else {
          throw new IOException("server is unknown or lost: " + name);
        }
      }
      return wait && !cancel ? awaitEmpty(cluster, drained) : 0;
    }
  }

  private void request(ControlledCluster cluster, ServerInfo info) throws IOException {
    if (cancel) {
      cluster.resume(info.getServer());
      print(info.getServer().getName() + ": drain cancelled");
    } else {
      cluster.drain(info.getServer());
      print(info.getServer().getName() + ": gets no new assignments, stores " + storedText(info));
    }
  }

  private int awaitEmpty(ControlledCluster cluster, List<String> drained)
      throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(drained);
    waiting.await(
        "servers still store data",
        () -> {
          List<ServerInfo> known = cluster.servers();
          for (String name : List.copyOf(left)) {
            Optional<ServerInfo> info = find(known, name);
            boolean drains =
                info.filter(i -> i.getState() == ServerState.SERVER_DRAINING).isPresent();
            print(name + ": " + info.map(i -> "stores " + storedText(i)).orElse("no longer known"));
            // An empty server that has not reported its drain yet may still get data.
            if (info.isEmpty() || (drains && info.get().getLoad().getStoredBytes() == 0)) {
              left.remove(name);
            }
          }
          return left;
        });
    return 0;
  }

  private static Optional<ServerInfo> find(List<ServerInfo> known, String name) {
    return known.stream()
        .filter(info -> info.getServer().getName().equals(name))
        .filter(info -> info.getState() != ServerState.SERVER_LOST)
        .findFirst();
  }

  private static String storedText(ServerInfo info) {
    return ServersCommand.size(info.getLoad().getStoredBytes());
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}

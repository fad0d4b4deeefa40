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
      "Servers take no new assignment, write to disk what is in memory, serve what they hold, and stay until they are restarted,"
          + " stopped or told to go on.",
      "For whoever stops them otherwise: to replace a host, or to take pods away. See decommission for servers that end by"
          + " themselves."
    },
    exitCodeList = {
      "0:the servers know; with --wait: they hold nothing",
      "1:failed, or --wait-timeout was over first",
      "2:wrong usage"
    })
final class DrainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "1..*",
      paramLabel = "SERVER",
      description = "Names of servers, as `sluice admin servers` shows them.")
  private List<String> servers = new ArrayList<>();

  @Option(names = "--cancel", description = "Not any more: take assignments again.")
  private boolean cancel;

  @Option(
      names = "--ignore-missing",
      description = "Pass over servers that are not there or have been lost.")
  private boolean ignoreMissing;

  @Option(names = "--wait", description = "Wait until they hold nothing, and tell what they hold.")
  private boolean wait;

  @Mixin private WaitOptions patience = new WaitOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlledCluster cluster = new ControlledCluster(quorum)) {
      List<String> told = new ArrayList<>();
      List<ServerInfo> known = cluster.servers();
      for (String name : servers) {
        Optional<ServerInfo> info = find(known, name);
        if (info.isPresent()) {
          tell(cluster, info.get());
          told.add(name);
        } else if (ignoreMissing) {
          print(name + ": is not there");
        } else {
          throw new IOException("no server of that name works: " + name);
        }
      }
      return wait && !cancel ? awaitEmpty(cluster, told) : 0;
    }
  }

  private void tell(ControlledCluster cluster, ServerInfo info) throws IOException {
    if (cancel) {
      cluster.resume(info.getServer());
      print(info.getServer().getName() + ": goes on");
    } else {
      cluster.drain(info.getServer());
      print(info.getServer().getName() + ": takes no new assignment, holds " + held(info));
    }
  }

  private int awaitEmpty(ControlledCluster cluster, List<String> told)
      throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(told);
    patience.await(
        "still hold data",
        () -> {
          List<ServerInfo> known = cluster.servers();
          for (String name : List.copyOf(left)) {
            Optional<ServerInfo> info = find(known, name);
            boolean drains =
                info.filter(i -> i.getState() == ServerState.SERVER_DRAINING).isPresent();
            print(name + ": " + info.map(i -> "holds " + held(i)).orElse("is not there any more"));
            // What a server says of itself before it has heard of its drain may be followed by
            // more.
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

  private static String held(ServerInfo info) {
    return ServersCommand.size(info.getLoad().getStoredBytes());
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}

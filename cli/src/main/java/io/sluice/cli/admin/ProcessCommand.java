package io.sluice.cli.admin;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/**
 * A command that concerns processes: every given coordinator, or servers that options name. A
 * failure of one process does not stop the others. With {@code --output json}, it prints one object
 * per line and process.
 */
abstract class ProcessCommand implements Callable<Integer> {
  private static final String LOST = "SERVER_LOST";

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;
  @ArgGroup private Servers servers;

  /** Servers that the command concerns; without these options, it concerns coordinators. */
  static final class Servers {
    @Option(
        names = "--server",
        split = ",",
        paramLabel = "SERVER",
        description = "Names of servers, instead of coordinators. Comma-separated or repeated.")
    private List<String> names = new ArrayList<>();

    @Option(
        names = "--all-servers",
        description = "All servers that are not lost, instead of coordinators.")
    private boolean all;
  }

  /**
   * Sends the request about one process.
   *
   * @param path path of the resource
   */
  abstract JsonNode send(CoordinatorApi api, List<String> path) throws IOException;

  /** Name of the resource of a process. */
  abstract String resource();

  /** Prints the answer of a process for people. */
  abstract void print(String process, JsonNode answer, Output to) throws IOException;

  @Override
  public final Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      if (servers == null) {
        coordinators.each(
            api -> send(api, List.of(resource())),
            false,
            (coordinator, answer) -> handle(coordinator.toString(), answer));
      } else {
        callServers(coordinators);
      }
      return 0;
    }
  }

  private void callServers(Coordinators coordinators) throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (String server : servers.all ? known(coordinators) : servers.names) {
      try {
        List<String> path = List.of("servers", server, resource());
        handle(server, coordinators.first(api -> send(api, path)));
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (!failures.isEmpty()) {
      throw CommandFailure.ofAll(failures);
    }
  }

  private static List<String> known(Coordinators coordinators) throws IOException {
    Stream<Resource.Server> all =
        coordinators.first(Resource.Servers.class, "servers").servers().stream();
    return all.filter(server -> !server.state().equals(LOST)).map(Resource.Server::name).toList();
  }

  private void handle(String process, JsonNode answer) throws IOException {
    if (output.isJson()) {
      output.jsonLine(answer);
    } else {
      print(process, answer, output);
    }
  }
}

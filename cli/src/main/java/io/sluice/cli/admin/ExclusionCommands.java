package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice admin exclude}, {@code include} and {@code exclusions}. */
final class ExclusionCommands {
  private ExclusionCommands() {}

  /** Base of exclude and include. They change every coordinator, because each has its own list. */
  private abstract static class ExclusionCommand implements Callable<Integer> {
    private final String method;

    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(
        arity = "1..*",
        paramLabel = "SERVER",
        description =
            "Names of servers, as listed by `sluice admin servers`, or a host name for all "
                + "its servers.")
    private List<String> servers = new ArrayList<>();

    private ExclusionCommand(String method) {
      this.method = method;
    }

    @Override
    public Integer call() throws IOException {
      try (Coordinators coordinators = new Coordinators(quorum)) {
        for (String server : servers) {
          coordinators.change(
              api -> api.mutate(method, List.of("servers", server, "exclusion")),
              false,
              (coordinator, answer) -> {
                if (output.isJson()) {
                  output.jsonLine(answer);
                } else {
                  Resource.Exclusions list = CoordinatorApi.as(Resource.Exclusions.class, answer);
                  output.line(coordinator + ": " + server + ": " + done(list));
                }
              });
        }
        return 0;
      }
    }

    abstract String done(Resource.Exclusions list);
  }

  @Command(
      name = "exclude",
      description = {
        "Exclude servers from new assignments, at every given coordinator. They still "
            + "serve their data.",
        "Exclusions survive a restart of the coordinator if rss.coordinator.data.dir is set."
      })
  static final class Exclude extends ExclusionCommand {
    Exclude() {
      super("POST");
    }

    @Override
    String done(Resource.Exclusions list) {
      return list.kept() ? "excluded" : "excluded until this coordinator restarts";
    }
  }

  @Command(
      name = "include",
      description =
          "End the exclusion of servers from new assignments, at every given coordinator.")
  static final class Include extends ExclusionCommand {
    Include() {
      super("DELETE");
    }

    @Override
    String done(Resource.Exclusions list) {
      return "included; gets assignments again";
    }
  }

  @Command(
      name = "exclusions",
      description = "List the excluded servers of every given coordinator.")
  static final class Exclusions implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
      StateList.print(
          quorum,
          output,
          "exclusions",
          Resource.Exclusions.class,
          list -> new StateList(list.kept(), list.entries()));
      return 0;
    }
  }
}

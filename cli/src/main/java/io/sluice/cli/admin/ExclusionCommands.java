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

  /** What both acts share: they are told to every coordinator, since each has a list of its own. */
  private abstract static class Act implements Callable<Integer> {
    private final String method;

    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(
        arity = "1..*",
        paramLabel = "SERVER",
        description =
            "Names as `sluice admin servers` shows them, or a host for all servers on it.")
    private List<String> servers = new ArrayList<>();

    private Act(String method) {
      this.method = method;
    }

    @Override
    public Integer call() throws IOException {
      try (Coordinators coordinators = new Coordinators(quorum)) {
        for (String server : servers) {
          coordinators.each(
              api -> api.act(method, List.of("servers", server, "exclusion")),
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
        "Take servers out of assignment, at every coordinator given; they serve what they hold.",
        "A coordinator with a data directory (rss.coordinator.data.dir) keeps it over a restart."
      })
  static final class Exclude extends Act {
    Exclude() {
      super("POST");
    }

    @Override
    String done(Resource.Exclusions list) {
      return list.kept() ? "excluded" : "excluded, until this coordinator ends";
    }
  }

  @Command(
      name = "include",
      description =
          "Give servers that were excluded back to assignment, at every coordinator given.")
  static final class Include extends Act {
    Include() {
      super("DELETE");
    }

    @Override
    String done(Resource.Exclusions list) {
      return "takes assignments again";
    }
  }

  @Command(name = "exclusions", description = "What each coordinator has taken out of assignment.")
  static final class Exclusions implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
      try (Coordinators coordinators = new Coordinators(quorum)) {
        coordinators.each(
            api -> api.get("exclusions"),
            false,
            (coordinator, answer) -> {
              if (output.isJson()) {
                output.jsonLine(answer);
              } else {
                Resource.Exclusions list = CoordinatorApi.as(Resource.Exclusions.class, answer);
                output.line(
                    coordinator
                        + (list.kept() ? ":" : " (until it ends):")
                        + (list.entries().isEmpty() ? " nobody" : ""));
                list.entries().forEach(entry -> output.line("  " + entry));
              }
            });
        return 0;
      }
    }
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin threads}. */
@Command(
    name = "threads",
    description = {
      "Print the threads of every given coordinator, or of shuffle servers, with their stacks.",
      "With --output json, one object per line and process."
    })
final class ThreadsCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;
  @ArgGroup private ProcessTargets targets;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      ProcessTargets.each(
          targets,
          coordinators,
          api -> api.get("threads"),
          server -> api -> api.get("servers", server, "threads"),
          this::print);
      return 0;
    }
  }

  private void print(String process, JsonNode answer) throws IOException {
    if (output.isJson()) {
      output.jsonLine(answer);
      return;
    }
    Resource.Threads dump = CoordinatorApi.as(Resource.Threads.class, answer);
    int count = dump.threads().size() + dump.omitted();
    StringBuilder text =
        new StringBuilder("# ").append(process).append(": ").append(count).append(" threads\n");
    for (Resource.ThreadStack thread : dump.threads()) {
      text.append('\n').append(head(thread)).append('\n');
      thread.frames().forEach(frame -> text.append("    at ").append(frame).append('\n'));
    }
    if (dump.omitted() > 0) {
      text.append("\n# ").append(dump.omitted()).append(" further threads are left out\n");
    }
    output.text(text);
  }

  private static String head(Resource.ThreadStack thread) {
    return '"'
        + thread.name()
        + "\" #"
        + thread.id()
        + ' '
        + thread.state()
        + (thread.cpuMs() == null ? "" : " cpu=" + FigureText.span(thread.cpuMs()))
        + (thread.waitsFor().isEmpty() ? "" : " waits for " + thread.waitsFor())
        + (thread.owner().isEmpty() ? "" : " owned by \"" + thread.owner() + '"');
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin threads}. */
@Command(
    name = "threads",
    description = {
      "Print the threads of every given coordinator, or of shuffle servers, with their stacks.",
      "With --output json, one object per line and process."
    })
final class ThreadsCommand extends ProcessCommand {
  @Override
  JsonNode send(CoordinatorApi api, List<String> path) throws IOException {
    return api.get(Map.of(), path);
  }

  @Override
  String resource() {
    return "threads";
  }

  @Override
  void print(String process, JsonNode answer, Output to) throws IOException {
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
    to.text(text);
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

package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * A list in the state of a coordinator.
 *
 * @param kept whether a restart of the coordinator keeps it
 * @param lines one line for each entry
 */
record StateList(boolean kept, List<String> lines) {
  /**
   * Prints the list of every coordinator.
   *
   * @param resource path of the list in the REST API
   */
  static <T> void print(
      QuorumOptions quorum,
      Output output,
      String resource,
      Class<T> type,
      Function<T, StateList> list)
      throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      coordinators.each(
          api -> api.get(resource),
          false,
          (coordinator, answer) -> {
            if (output.isJson()) {
              output.jsonLine(answer);
            } else {
              output.text(list.apply(CoordinatorApi.as(type, answer)).text(coordinator.toString()));
            }
          });
    }
  }

  private String text(String coordinator) {
    StringBuilder text = new StringBuilder(coordinator);
    text.append(kept ? ":" : " (until its restart):").append(lines.isEmpty() ? " none\n" : "\n");
    lines.forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }
}

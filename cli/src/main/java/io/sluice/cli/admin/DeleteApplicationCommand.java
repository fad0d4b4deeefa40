package io.sluice.cli.admin;

import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice admin delete-application}. */
@Command(
    name = "delete-application",
    description = {
      "Delete an application and its data, as at the end of its driver, at every given coordinator"
          + " that knows it.",
      "Servers delete its shuffles after their next heartbeat. A driver that still runs "
          + "registers the application again."
    })
final class DeleteApplicationCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(paramLabel = "APPLICATION", description = "Application id of Spark or YARN.")
  private String application;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      coordinators.change(
          api -> api.mutate("DELETE", List.of("applications", application)),
          true,
          (coordinator, answer) -> {
            if (output.isJson()) {
              output.jsonLine(answer);
            } else {
              output.line(coordinator + ": " + application + ": deleted");
            }
          });
      return 0;
    }
  }
}

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
      "Forget an application and its data, as if its driver had ended it, at every coordinator that"
          + " knows it.",
      "Servers drop its shuffles with their next heartbeat. A driver that lives registers it again."
    })
final class DeleteApplicationCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(paramLabel = "APPLICATION", description = "The engine's application id.")
  private String application;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      coordinators.each(
          api -> api.act("DELETE", List.of("applications", application)),
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

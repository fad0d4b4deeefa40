package io.sluice.cli.admin;

import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin delete-application}. */
@Command(
    name = "delete-application",
    description = {
      "Forget an application and its data, as if its driver had ended it.",
      "Servers drop its shuffles with their next heartbeat. A driver that lives registers it again."
    })
final class DeleteApplicationCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(paramLabel = "APPLICATION", description = "The engine's application id.")
  private String application;

  @Override
  public Integer call() throws IOException {
    try (ControlChannel channel = quorum.connect()) {
      UnregisterApplicationReply reply =
          channel.coordinator(
              stub ->
                  stub.unregisterApplication(
                      UnregisterApplicationRequest.newBuilder()
                          .setApplication(application)
                          .build()));
      channel.demandOk("delete the application", reply.getStatus(), reply.getMessage());
      spec.commandLine().getOut().println(application + ": deleted");
      spec.commandLine().getOut().flush();
      return 0;
    }
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.TextTable;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.DurationText;
import io.sluice.proto.ApplicationInfo;
import io.sluice.proto.ListApplicationsReply;
import io.sluice.proto.ListApplicationsRequest;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice admin applications}. */
@Command(name = "applications", description = "The applications as a coordinator sees them.")
final class ApplicationsCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (ControlChannel channel = quorum.connect()) {
      ListApplicationsReply reply =
          channel.coordinator(
              stub -> stub.listApplications(ListApplicationsRequest.getDefaultInstance()));
      channel.demandOk("list applications", reply.getStatus(), reply.getMessage());
      if (output.isJson()) {
        output.json(reply);
        return 0;
      }
      TextTable table = new TextTable("application", "user", ">shuffles", ">lease", ">age");
      for (ApplicationInfo info : reply.getApplicationsList()) {
        table.row(
            info.getApplication(),
            info.getUser(),
            info.getShuffles(),
            DurationText.print(info.getLeaseRemainingMs()),
            DurationText.print(info.getRegisteredAgeMs() / 1000 * 1000));
      }
      output.text(table);
      return 0;
    }
  }
}

package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin quotas}. */
@Command(name = "quotas", description = "List usage and limits of users with live applications.")
final class QuotasCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  private static final Columns<Resource.UserQuota> COLUMNS =
      new Columns<Resource.UserQuota>()
          .column("user", user -> FigureText.orNone(user.user()))
          .column(">applications", user -> text(user.applications(), Long::toString))
          .column(">bytes", user -> text(user.bytes(), FigureText::size))
          .column(">partitions", user -> text(user.partitions(), Long::toString))
          .wide(">application bytes", user -> limit(user.applicationBytesMax(), FigureText::size))
          .wide(
              ">application partitions",
              user -> limit(user.applicationPartitionsMax(), Long::toString))
          .column(
              "over quota",
              user ->
                  String.join(
                      ",",
                      user.overQuota().stream().map(Resource.OverQuota::application).toList()));

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer = coordinators.first(api -> api.get("quotas"));
      if (output.isJson()) {
        output.json(answer);
      } else {
        output.text(
            COLUMNS.table(
                CoordinatorApi.as(Resource.Quotas.class, answer).users(), output.isWide()));
      }
      return 0;
    }
  }

  private static String text(Resource.Quota quota, LongFunction<String> form) {
    return quota.max() == null
        ? form.apply(quota.used())
        : form.apply(quota.used()) + " of " + form.apply(quota.max());
  }

  private static String limit(Long max, LongFunction<String> form) {
    return max == null ? "unlimited" : form.apply(max);
  }
}

package io.sluice.cli.sizing;

import io.sluice.cli.TextTable;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import java.util.Locale;

/** Prints a plan as text tables. */
final class SizingTable {
  private SizingTable() {}

  static String of(SizingPlan plan) {
    TextTable needs = new TextTable("servers for", ">demand", ">one server", ">servers");
    for (SizingPlan.Need need : plan.needs()) {
      Limit limit = need.limit();
      needs.row(
          limit.label(),
          figure(limit.unit(), need.demanded()),
          figure(limit.unit(), need.offered()),
          need.servers());
    }
    SizingPlan.EachServer each = plan.eachServer();
    TextTable server = new TextTable("each server", ">at the peak");
    server.row("disk space, with reserve", size(each.diskBytes()));
    server.row("heap", size(each.heapBytes()));
    server.row("buffer", size(each.bufferBytes()));
    server.row("page cache", size(each.pageCacheBytes()));
    server.row("connections", each.connections());
    server.row("file descriptors", each.fileDescriptors());
    server.row("clean stop", DurationText.print(1000 * each.stopSeconds()));
    server.row("start", DurationText.print(1000 * each.startSeconds()));
    TextTable settings = new TextTable("setting", "value", "where");
    for (SizingPlan.Setting setting : plan.settings()) {
      settings.row(setting.name(), setting.value(), setting.location());
    }
    return String.format(
            Locale.ROOT,
            "%d servers, including one spare, for %s of stored data; limited by %s%n%n",
            plan.servers(),
            size(plan.liveBytes()),
            plan.bottleneck().label())
        + needs
        + "\n"
        + server
        + "\n"
        + settings;
  }

  private static String figure(Limit.Unit unit, double value) {
    return switch (unit) {
      case BYTES -> size((long) value);
      case BYTES_PER_SECOND -> size((long) value) + "/s";
      case CORES -> String.format(Locale.ROOT, "%.1f cores", value);
      case SERVERS -> String.format(Locale.ROOT, "%.0f", value);
    };
  }

  private static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }
}

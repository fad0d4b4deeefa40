package io.sluice.cli.sizing;

import io.sluice.cli.TextTable;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import java.util.Locale;

/** A plan for people to read. */
final class SizingTable {
  private SizingTable() {}

  static String of(SizingPlan plan) {
    TextTable needs = new TextTable("servers for", ">demand", ">one has", ">servers");
    for (SizingPlan.Need need : plan.needs()) {
      Limit limit = need.limit();
      needs.row(
          limit.words(),
          figure(limit.unit(), need.demanded()),
          figure(limit.unit(), need.offered()),
          need.servers());
    }
    SizingPlan.EachServer each = plan.eachServer();
    TextTable server = new TextTable("each server", ">at the peak");
    server.row("on its disks, with reserve", size(each.diskBytes()));
    server.row("heap", size(each.heapBytes()));
    server.row("buffer", size(each.bufferBytes()));
    server.row("left for the page cache", size(each.pageCacheBytes()));
    server.row("connections", each.connections());
    server.row("file descriptors", each.fileDescriptors());
    server.row("clean stop", DurationText.print(1000 * each.stopSeconds()));
    server.row("start", DurationText.print(1000 * each.startSeconds()));
    TextTable settings = new TextTable("setting", "value", "of");
    for (SizingPlan.Setting setting : plan.settings()) {
      settings.row(setting.name(), setting.value(), setting.place());
    }
    return String.format(
            Locale.ROOT,
            "%d servers, one of which may be missing, hold %s; %s decides%n%n",
            plan.servers(),
            size(plan.liveBytes()),
            plan.bottleneck().words())
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

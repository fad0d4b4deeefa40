package io.sluice.cli.sizing;

import io.sluice.cli.sizing.SizingPlan.EachServer;
import io.sluice.cli.sizing.SizingPlan.Setting;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import java.util.ArrayList;
import java.util.List;

/** Settings that a plan needs. */
final class Settings {
  /** LimitNOFILE of the systemd units. */
  private static final int UNIT_DESCRIPTORS = 262_144;

  private static final String SERVER_ENVIRONMENT = "environment of servers";
  private static final String SERVER_CONF = "server.conf";

  // 4 GiB are enough for 1,000 servers.
  private static final long COORDINATOR_BASE_BYTES = 512L << 20;
  private static final long COORDINATOR_BYTES_PER_SERVER = (3584L << 20) / 1000;
  private static final long COORDINATOR_STEP = 512L << 20;

  private Settings() {}

  static List<Setting> of(SizingWorkload workload, int servers, EachServer each) {
    List<Setting> settings = new ArrayList<>();
    settings.add(new Setting(SERVER_ENVIRONMENT, "XMX_SIZE", javaSize(each.heapBytes())));
    settings.add(
        new Setting(SERVER_ENVIRONMENT, "MAX_DIRECT_MEMORY_SIZE", javaSize(each.directBytes())));
    settings.add(
        new Setting(
            "environment of coordinators",
            "COORDINATOR_XMX_SIZE",
            javaSize(coordinatorHeapBytes(servers))));
    settings.add(
        new Setting(
            SERVER_CONF,
            "rss.server.buffer.capacity",
            new DataSize(each.bufferBytes()).toString()));
    // 25 % more, because new executors start before old ones have ended.
    int connections = (each.connections() * 5 / 4 + 99) / 100 * 100;
    if (connections > Defaults.SERVER_CONNECTIONS) {
      settings.add(
          new Setting(SERVER_CONF, "rss.server.connections.max", Integer.toString(connections)));
    }
    if (each.fileDescriptors() > UNIT_DESCRIPTORS) {
      settings.add(
          new Setting(
              "unit of servers",
              "LimitNOFILE",
              Integer.toString(Integer.highestOneBit(each.fileDescriptors()) * 2)));
    }
    if (each.startSeconds() * 2000L > Defaults.RECOVERY_MS) {
      long minutes = (each.startSeconds() * 2 + 59) / 60;
      settings.add(
          new Setting(
              SERVER_CONF, "rss.server.recovery.timeout", DurationText.print(60_000 * minutes)));
    }
    if (workload.replicas() > 1) {
      settings.add(
          new Setting(
              "jobs, after spark. or mapreduce.",
              "rss.data.replica",
              Integer.toString(workload.replicas())));
    }
    return settings;
  }

  private static long coordinatorHeapBytes(int servers) {
    long bytes = COORDINATOR_BASE_BYTES + COORDINATOR_BYTES_PER_SERVER * servers;
    return bytes / COORDINATOR_STEP * COORDINATOR_STEP;
  }

  /** Size in the format of -Xmx. */
  private static String javaSize(long bytes) {
    return bytes % (1L << 30) == 0 ? (bytes >> 30) + "g" : (bytes >> 20) + "m";
  }
}

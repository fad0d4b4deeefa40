package io.sluice.coordinator.explain;

import io.sluice.common.config.DataSize;
import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.DiskState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Write speeds of the disks of all servers since their start, from heartbeats. Immutable. */
final class DiskSpeeds {
  private static final double NANOS_PER_SECOND = 1e9;

  private record Speed(String server, String path, double bytesPerSecond) {}

  private final List<Speed> speeds = new ArrayList<>();

  DiskSpeeds(List<Server> servers) {
    for (Server server : servers) {
      for (DiskState disk : server.load().getDisksList()) {
        if (disk.getWrittenBytes() > 0 && disk.getWriteNanos() > 0) {
          speeds.add(
              new Speed(
                  server.name(),
                  disk.getPath(),
                  disk.getWrittenBytes() * NANOS_PER_SECOND / disk.getWriteNanos()));
        }
      }
    }
    speeds.sort(Comparator.comparingDouble(Speed::bytesPerSecond));
  }

  /** Names the slowest disk of a server and compares it; empty if the speeds are unknown. */
  Optional<String> slowestOf(String server) {
    return speeds.stream()
        .filter(speed -> speed.server.equals(server))
        .findFirst()
        .map(
            slowest ->
                "its slowest disk "
                    + slowest.path
                    + " writes "
                    + text(slowest.bytesPerSecond)
                    + ", the median disk of all servers "
                    + text(speeds.get(speeds.size() / 2).bytesPerSecond));
  }

  /** The write speed of the median disk; empty if it is unknown. */
  Optional<String> median() {
    return speeds.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the median disk writes " + text(speeds.get(speeds.size() / 2).bytesPerSecond));
  }

  private static String text(double bytesPerSecond) {
    return new DataSize((long) bytesPerSecond).toRoundedText() + "/s";
  }
}

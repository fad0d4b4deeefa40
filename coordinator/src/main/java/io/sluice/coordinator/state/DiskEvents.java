package io.sluice.coordinator.state;

import io.sluice.common.error.PeerText;
import io.sluice.coordinator.history.Event;
import io.sluice.proto.DiskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds disks of a server that failed or recovered between two heartbeats. A pure function. */
final class DiskEvents {
  private DiskEvents() {}

  static List<Event> between(String server, List<DiskState> before, List<DiskState> now) {
    if (before.equals(now)) {
      return List.of();
    }
    Map<String, DiskState> known = new HashMap<>();
    before.forEach(disk -> known.put(disk.getPath(), disk));
    List<Event> events = new ArrayList<>();
    for (DiskState disk : now) {
      boolean good = isGood(disk);
      boolean wasGood = !known.containsKey(disk.getPath()) || isGood(known.get(disk.getPath()));
      if (good != wasGood) {
        events.add(
            Event.of(good ? Event.Kind.DISK_GOOD : Event.Kind.DISK_BAD)
                .ofServer(server)
                .with("disk", PeerText.quoted(disk.getPath()))
                .with("health", disk.getHealth())
                .with("cause", disk.getCause().isEmpty() ? "" : PeerText.quoted(disk.getCause())));
      }
    }
    return events;
  }

  /**
   * Whether a disk has not failed. A full disk has not; servers without the health field report
   * only one flag.
   */
  private static boolean isGood(DiskState disk) {
    return switch (disk.getHealth()) {
      case HEALTHY -> true;
      case SUSPECT, LOST, RECOVERING -> false;
      case HEALTH_UNSPECIFIED, UNRECOGNIZED -> disk.getHealthy();
    };
  }
}

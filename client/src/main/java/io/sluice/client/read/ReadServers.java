package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.List;

/** The servers of one read, which take turns. Belongs to the task thread. */
final class ReadServers {
  private final List<ReadServer> servers = new ArrayList<>();
  private int first;

  /**
   * Adds the servers of an assignment that are not here yet, and notes those that were replaced.
   */
  void add(ShuffleAssignment assignment) {
    for (int i = 0; i < assignment.servers().size(); i++) {
      ServerId server = assignment.servers().get(i);
      boolean replaced = assignment.hasReplaced(server.getName());
      if (i == servers.size()) {
        servers.add(new ReadServer(server, replaced));
      } else if (replaced) {
        servers.get(i).becomesReplaced();
      }
    }
  }

  int count() {
    return servers.size();
  }

  /**
   * @param index in the assignment
   */
  ReadServer get(int index) {
    return servers.get(index);
  }

  /** The server whose turn it is after {@code i} others. */
  ReadServer inTurn(int i) {
    return servers.get((first + i) % servers.size());
  }

  /** The server of {@link #inTurn} {@code i} has had its turn. */
  void endTurn(int i) {
    first = (first + i + 1) % servers.size();
  }

  /** Whether any server still has something to deliver. */
  boolean areBusy() {
    return servers.stream().anyMatch(server -> !server.isIdle());
  }
}

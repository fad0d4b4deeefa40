package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.ArrayList;
import java.util.List;

/** The servers of one read, and the round-robin order among them. Owned by the task thread. */
final class ReadServers {
  private final List<ReadServer> servers = new ArrayList<>();
  private int first;

  /** Adds the new servers of an assignment, and notes which ones were replaced. */
  void add(ShuffleAssignment assignment) {
    for (int i = servers.size(); i < assignment.servers().size(); i++) {
      servers.add(new ReadServer(assignment.servers().get(i)));
    }
    servers.forEach(server -> server.update(assignment));
  }

  int count() {
    return servers.size();
  }

  /**
   * @param index index of the server in the assignment
   */
  ReadServer get(int index) {
    return servers.get(index);
  }

  /** The server at position {@code i} of the current round. */
  ReadServer inTurn(int i) {
    return servers.get((first + i) % servers.size());
  }

  /** Starts the next round after the server at position {@code i}. */
  void endTurn(int i) {
    first = (first + i + 1) % servers.size();
  }

  /** Whether any server has requests or slices left. */
  boolean areBusy() {
    return servers.stream().anyMatch(server -> !server.isIdle());
  }
}

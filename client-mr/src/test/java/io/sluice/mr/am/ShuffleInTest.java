package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.Assignments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A job's shuffle that knows what a test has put in. */
final class ShuffleInTest implements ShuffleOfJob {
  Optional<ShuffleAssignment> assignment = Optional.empty();
  Optional<ShuffleAssignment> news = Optional.empty();

  /** Names of servers, in the order in which others were to stand in for them. */
  final List<String> replaced = new ArrayList<>();

  @Override
  public Optional<ShuffleAssignment> assignment() {
    return assignment;
  }

  @Override
  public Optional<ShuffleAssignment> newsForReducers() {
    return news;
  }

  @Override
  public void replace(String server) {
    replaced.add(server);
  }

  /** A server with the number 7 stands in for every one. */
  @Override
  public Optional<ShuffleAssignment> around(String server) {
    replace(server);
    assignment = assignment.map(before -> before.replaceFailed(server, Assignments.server(7)));
    return assignment;
  }
}

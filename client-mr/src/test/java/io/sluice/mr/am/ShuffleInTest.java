package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.Assignments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A {@link JobAssignment} with values set by a test. */
final class ShuffleInTest implements JobAssignment {
  Optional<ShuffleAssignment> assignment = Optional.empty();
  Optional<ShuffleAssignment> news = Optional.empty();

  /** Names of servers, in the order in which replacements were requested. */
  final List<String> replaced = new ArrayList<>();

  final JobReceipts receipts = new JobReceipts();
  final JobTasks tasks = new JobTasks();

  /** The reported numbers. */
  final List<Integer> wrongReceipts = new ArrayList<>();

  @Override
  public Optional<ShuffleAssignment> assignment() {
    return assignment;
  }

  @Override
  public Optional<ShuffleAssignment> unreportedAssignment() {
    return news;
  }

  @Override
  public JobReceipts receipts() {
    return receipts;
  }

  @Override
  public JobTasks tasks() {
    return tasks;
  }

  @Override
  public void reportWrongReceipts(int attempts) {
    wrongReceipts.add(attempts);
  }

  @Override
  public void replace(String server) {
    replaced.add(server);
  }

  /** Server 7 replaces every failed server. */
  @Override
  public Optional<ShuffleAssignment> replaceNow(String server) {
    replace(server);
    assignment = assignment.map(before -> before.replaceFailed(server, Assignments.server(7)));
    return assignment;
  }
}

package io.sluice.simulation;

import io.sluice.coordinator.log.MetadataLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The metadata log that several coordinators share. It keeps the contract of {@link MetadataLog},
 * and replaces Ratis, which has threads and clocks of its own. One member leads while a majority
 * can reach it. A batch that fails to commit may be committed after all. A member that starts gets
 * every batch again. Belongs to a simulation.
 */
final class SimulatedQuorum {
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final SimulatedThreads time;
  private final Random random;
  private final Predicate<String> reachable;
  private final Map<String, Member> members = new LinkedHashMap<>();
  private final List<List<byte[]>> committed = new ArrayList<>();
  private Member leader;
  private int elections;
  private boolean failsAppends = true;

  /**
   * @param reachable whether a member's process runs and can be reached
   */
  SimulatedQuorum(
      SimulatedThreads time, Random random, List<String> names, Predicate<String> reachable) {
    this.time = time;
    this.random = random;
    this.reachable = reachable;
    names.forEach(name -> members.put(name, new Member(name)));
    check();
  }

  /** Opens the log of a process that starts. */
  MetadataLog open(String name) {
    Member member = new Member(name);
    members.put(name, member);
    if (leader != null && leader.name.equals(name)) {
      leader = null;
    }
    return member;
  }

  /** Name of the member that leads; null: none does. */
  String leader() {
    return leader != null && leader.leads() ? leader.name : null;
  }

  /** Elections so far. */
  int elections() {
    return elections;
  }

  /** Every batch of a leader that can be reached is committed from now on. */
  void endFaults() {
    failsAppends = false;
  }

  /** Elects another member if the leader cannot be reached for a while. */
  private void check() {
    if (hasMajority() && (leader == null || !reachable.test(leader.name))) {
      List<Member> candidates =
          members.values().stream().filter(one -> reachable.test(one.name)).toList();
      leader = candidates.get(random.nextInt(candidates.size()));
      leader.announced = false;
      elections++;
    }
    time.schedule(CHECK_NANOS + random.nextLong(4 * CHECK_NANOS), this::check);
  }

  private boolean hasMajority() {
    long up = members.values().stream().filter(one -> reachable.test(one.name)).count();
    return 2 * up > members.size();
  }

  private final class Member implements MetadataLog {
    private final String name;
    private int delivered;
    private boolean announced;

    Member(String name) {
      this.name = name;
    }

    @Override
    public Contents read() {
      return new Contents(List.of(), 0, List.of());
    }

    @Override
    public boolean leads() {
      return leader == this && announced && hasMajority() && reachable.test(name);
    }

    @Override
    public Optional<Delivery> poll() {
      // What the others committed arrives only while they can be reached.
      if (!reachable.test(name)) {
        return Optional.empty();
      }
      if (delivered < committed.size()) {
        return Optional.of(new Delivery.Appended(committed.get(delivered++)));
      }
      if (leader == this && !announced) {
        announced = true;
        return Optional.of(new Delivery.Leading());
      }
      return Optional.empty();
    }

    @Override
    public void append(List<byte[]> records) throws IOException {
      if (!leads()) {
        throw new IOException("this coordinator does not lead");
      }
      if (failsAppends && random.nextInt(50) == 0) {
        // The leader does not learn whether the batch was committed.
        leader = null;
        announced = false;
        if (random.nextBoolean()) {
          committed.add(List.copyOf(records));
        }
        throw new IOException("the change was not committed");
      }
      committed.add(List.copyOf(records));
      delivered = committed.size();
    }

    @Override
    public void replace(List<byte[]> snapshot) {}

    @Override
    public long recordBytes() {
      return 0;
    }

    @Override
    public long snapshotBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }
}

package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a reduce task is to read: for each partition the map attempts that hold data for it, as the
 * engine knows them. Blocks of other attempts are skipped, those of these must all be found.
 * Immutable.
 */
public final class ShuffleReadRequest {
  private final ShuffleAssignment assignment;
  private final List<ExpectedAttempts> expected;
  private final int firstMapIndex;
  private final int endMapIndex;
  private final LocalOutput localOutput;
  private final boolean anyOrder;
  private final Map<Integer, Set<Long>> leftLocal;
  private final boolean pushedLater;
  private final int maxWaitMs;
  private final NewestAssignments newest;
  private final int wantedPermille;
  private final SliceMemory memory;

  private ShuffleReadRequest(Builder from) {
    this.assignment = from.assignment;
    this.expected = from.byPartition.build();
    this.firstMapIndex = from.firstMapIndex;
    this.endMapIndex = from.endMapIndex;
    this.localOutput = from.localOutput;
    this.anyOrder = from.anyOrder;
    this.leftLocal = from.leftLocal;
    this.pushedLater = from.pushedLater;
    this.maxWaitMs = from.maxWaitMs;
    this.wantedPermille = from.wantedPermille;
    this.newest = from.newest;
    this.memory = from.memory;
  }

  public static Builder builder(ShuffleAssignment assignment) {
    return new Builder(assignment);
  }

  public ShuffleAssignment assignment() {
    return assignment;
  }

  /** Partitions with at least one expected attempt, ascending. */
  List<ExpectedAttempts> expected() {
    return expected;
  }

  /** Whether only the blocks of some map tasks are wanted. */
  boolean hasMapRange() {
    return firstMapIndex > 0 || endMapIndex < Integer.MAX_VALUE;
  }

  int firstMapIndex() {
    return firstMapIndex;
  }

  int endMapIndex() {
    return endMapIndex;
  }

  /** The way to what the servers do not have; null: there is none. */
  LocalOutput localOutput() {
    return localOutput;
  }

  /** Where slices are counted. */
  SliceMemory memory() {
    return memory;
  }

  /** Whom to ask for servers that are not in the assignment; null: nobody. */
  NewestAssignments newest() {
    return newest;
  }

  /** Whether contents of an attempt may come in any order. */
  boolean anyOrder() {
    return anyOrder;
  }

  /** Whether servers get by and by what local output has already. */
  boolean isPushedLater() {
    return pushedLater;
  }

  /** Whether no server is going to have what an attempt holds for a partition. */
  boolean isLeftLocal(int partition, long mapAttempt) {
    return leftLocal.getOrDefault(partition, Set.of()).contains(mapAttempt);
  }

  /** Longest wait for servers to have it, of the whole read, in milliseconds; 0: none. */
  int maxWaitMs() {
    return maxWaitMs;
  }

  /** Share of the attempts that ends the wait. */
  int wantedPermille() {
    return wantedPermille;
  }

  /** Collects a request. Belongs to one thread. */
  public static final class Builder {
    private final ShuffleAssignment assignment;
    private final ExpectedByPartition byPartition = new ExpectedByPartition();
    private int firstMapIndex;
    private int endMapIndex = Integer.MAX_VALUE;
    private LocalOutput localOutput;
    private boolean anyOrder;
    private final Map<Integer, Set<Long>> leftLocal = new HashMap<>();
    private boolean pushedLater;
    private int maxWaitMs;
    private int wantedPermille;
    private NewestAssignments newest;
    private SliceMemory memory = SliceMemory.UNCOUNTED;

    private Builder(ShuffleAssignment assignment) {
      this.assignment = assignment;
    }

    /** Where slices are counted; nowhere if this is not called. */
    public Builder memory(SliceMemory task) {
      memory = task;
      return this;
    }

    /**
     * An attempt that holds data for a partition. Naming it twice is the same as once.
     *
     * @param mapIndex which map task it is a try of
     */
    public Builder expect(int partition, long mapAttempt, int mapIndex) {
      if (partition < 0 || partition >= assignment.partitionCount()) {
        throw new IllegalArgumentException(
            "read: partition "
                + partition
                + " of a shuffle with "
                + assignment.partitionCount()
                + " partitions");
      }
      byPartition.add(partition, mapAttempt, mapIndex);
      return this;
    }

    /**
     * Says that all expected attempts are of map tasks {@code first..end-1}, so that stretches of a
     * partition that hold only others need not be fetched.
     */
    public Builder mapRange(int first, int end) {
      this.firstMapIndex = first;
      this.endMapIndex = end;
      return this;
    }

    /**
     * Reads from map tasks' local output what the servers do not have.
     *
     * @param output the read takes it: closed with it
     */
    public Builder localOutput(LocalOutput output) {
      this.localOutput = output;
      return this;
    }

    /**
     * Asks for servers that the shuffle has got since, before anything is given up as missing.
     *
     * @param source asked from the reading thread
     */
    public Builder newest(NewestAssignments source) {
      this.newest = source;
      return this;
    }

    /**
     * Allows contents of one attempt to come in another order than that of their adding, so that
     * nothing has to be held back for its turn.
     */
    public Builder anyOrder() {
      this.anyOrder = true;
      return this;
    }

    /**
     * Says that what an attempt holds for a partition stays in its local output for good, so that
     * no server is waited for to have it.
     */
    public Builder leftLocal(int partition, long mapAttempt) {
      leftLocal.computeIfAbsent(partition, p -> new HashSet<>()).add(mapAttempt);
      return this;
    }

    /**
     * Says that attempts have everything in their local output, if it {@link LocalOutput#mayHave
     * may have} any, and that servers get it by and by. The read waits for them once, at its
     * beginning: what comes later, or from a server that fails or stalls, it takes from local
     * output.
     *
     * @param waitMs longest wait, of all partitions and servers together; 0: take what is there
     * @param permille share of the attempts, 0..1000, that ends the wait where it is reached
     */
    public Builder waitFor(int waitMs, int permille) {
      if (waitMs < 0 || permille < 0 || permille > 1000) {
        throw new IllegalArgumentException(
            "read: wait of " + waitMs + " ms for " + permille + " permille of the attempts");
      }
      this.pushedLater = true;
      this.maxWaitMs = permille == 0 ? 0 : waitMs;
      this.wantedPermille = permille;
      return this;
    }

    public ShuffleReadRequest build() {
      return new ShuffleReadRequest(this);
    }
  }
}

package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Partitions that a reduce task reads, and for each the map attempts that wrote data for it, as the
 * engine reports them. All blocks of these attempts are expected; blocks of other attempts are
 * skipped. Immutable.
 */
public final class ShuffleReadRequest {
  private final ShuffleAssignment assignment;
  private final List<ExpectedAttempts> expected;
  private final int firstMapIndex;
  private final int endMapIndex;
  private final LocalOutput localOutput;
  private final boolean anyOrder;
  private final boolean mapOrder;
  private final Map<Integer, Set<Long>> neverPushed;
  private final boolean pushedInBackground;
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
    this.mapOrder = from.mapOrder;
    this.neverPushed = from.neverPushed;
    this.pushedInBackground = from.pushedInBackground;
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

  /** Number of partitions with at least one expected attempt. */
  public int partitions() {
    return expected.size();
  }

  /** First partition with an expected attempt; -1: there is none. */
  public int firstPartition() {
    return expected.isEmpty() ? -1 : expected.get(0).partition();
  }

  /** Whether only the blocks of some map tasks are read. */
  boolean hasMapRange() {
    return firstMapIndex > 0 || endMapIndex < Integer.MAX_VALUE;
  }

  int firstMapIndex() {
    return firstMapIndex;
  }

  int endMapIndex() {
    return endMapIndex;
  }

  /** Reader of local output, for blocks that the servers do not have; null for none. */
  LocalOutput localOutput() {
    return localOutput;
  }

  /** Counter of the memory of slices. */
  SliceMemory memory() {
    return memory;
  }

  /** Source of newer assignments; null for none. */
  NewestAssignments newest() {
    return newest;
  }

  /** Whether the batches of an attempt may be delivered in any order. */
  boolean anyOrder() {
    return anyOrder;
  }

  /** Whether blocks are delivered by partition, map index and number, if they fit the memory. */
  boolean mapOrder() {
    return mapOrder;
  }

  /** Whether local output has all blocks, and servers get them later by the background push. */
  boolean isPushedInBackground() {
    return pushedInBackground;
  }

  /** Whether the blocks of an attempt for a partition stay in local output and are never pushed. */
  boolean isNeverPushed(int partition, long mapAttempt) {
    return neverPushed.getOrDefault(partition, Set.of()).contains(mapAttempt);
  }

  /** Maximum wait of the whole read for the background push, in milliseconds; 0: none. */
  int maxWaitMs() {
    return maxWaitMs;
  }

  /** Share of complete attempts at a server that ends the wait, in permille. */
  int wantedPermille() {
    return wantedPermille;
  }

  /** Collects a request. Owned by one thread. */
  public static final class Builder {
    private final ShuffleAssignment assignment;
    private final ExpectedByPartition byPartition = new ExpectedByPartition();
    private int firstMapIndex;
    private int endMapIndex = Integer.MAX_VALUE;
    private LocalOutput localOutput;
    private boolean anyOrder;
    private boolean mapOrder;
    private final Map<Integer, Set<Long>> neverPushed = new HashMap<>();
    private boolean pushedInBackground;
    private int maxWaitMs;
    private int wantedPermille;
    private NewestAssignments newest;
    private SliceMemory memory = SliceMemory.UNCOUNTED;

    private Builder(ShuffleAssignment assignment) {
      this.assignment = assignment;
    }

    /** Sets the counter of the memory of slices; without it, slices are not counted. */
    public Builder memory(SliceMemory task) {
      memory = task;
      return this;
    }

    /**
     * Adds an attempt that wrote data for a partition. Adding it again has no effect.
     *
     * @param mapIndex index of the map task of the attempt
     */
    public Builder expect(int partition, long mapAttempt, int mapIndex) {
      if (partition < 0 || partition >= assignment.partitionCount()) {
        throw new IllegalArgumentException(
            "invalid read request: partition out of range, partition="
                + partition
                + " partitions="
                + assignment.partitionCount());
      }
      byPartition.add(partition, mapAttempt, mapIndex);
      return this;
    }

    /**
     * Declares that all expected attempts belong to map tasks {@code first..end-1}, so that parts
     * of a partition with other map tasks are not fetched.
     */
    public Builder mapRange(int first, int end) {
      this.firstMapIndex = first;
      this.endMapIndex = end;
      return this;
    }

    /**
     * Reads blocks that the servers do not have from local output.
     *
     * @param output takes: closed with the read
     */
    public Builder localOutput(LocalOutput output) {
      this.localOutput = output;
      return this;
    }

    /**
     * Requests the newest assignment before blocks are reported as missing: a server may have been
     * added.
     *
     * @param source called by the task thread
     */
    public Builder newest(NewestAssignments source) {
      this.newest = source;
      return this;
    }

    /**
     * Allows any order of the batches of one attempt, so that batches that arrive early need not be
     * buffered.
     */
    public Builder anyOrder() {
      this.anyOrder = true;
      return this;
    }

    /**
     * Delivers all batches by partition, map index and block number, if the expected blocks of the
     * read are together within {@link ReadConfig#orderedBytes}. For larger reads this has no effect
     * on what the caller may rely on.
     */
    public Builder mapOrder() {
      this.mapOrder = true;
      return this;
    }

    /**
     * Declares that the blocks of an attempt for a partition are never pushed to servers, so that
     * the read does not wait for them.
     */
    public Builder neverPushed(int partition, long mapAttempt) {
      neverPushed.computeIfAbsent(partition, p -> new HashSet<>()).add(mapAttempt);
      return this;
    }

    /**
     * Declares that attempts have all their blocks in local output if it {@link LocalOutput#mayHave
     * may have} any, and that the background push sends them to servers later. The read waits for
     * servers once, at its beginning. Blocks that arrive later at a server, or are at a server that
     * fails or stalls, are read from local output.
     *
     * @param waitMs maximum wait of all partitions and servers together; 0: no wait
     * @param permille share of complete attempts at a server that ends the wait there, 0..1000
     */
    public Builder waitFor(int waitMs, int permille) {
      if (waitMs < 0 || permille < 0 || permille > 1000) {
        throw new IllegalArgumentException(
            "invalid read request: expected waitMs of at least 0 and permille of 0 to 1000, found"
                + " waitMs="
                + waitMs
                + " permille="
                + permille);
      }
      this.pushedInBackground = true;
      this.maxWaitMs = permille == 0 ? 0 : waitMs;
      this.wantedPermille = permille;
      return this;
    }

    public ShuffleReadRequest build() {
      return new ShuffleReadRequest(this);
    }
  }
}

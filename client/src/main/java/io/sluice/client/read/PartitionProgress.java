package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What has been read of one partition: for each expected attempt the next sequence number, and the
 * last once it is known. The partition is whole when every attempt is. Belongs to one thread.
 */
final class PartitionProgress {
  private static final int UNKNOWN = -1;

  private final ExpectedAttempts expected;
  private final int range;
  private final int firstReplica;
  private final int replicas;
  private final int[] next;
  private final int[] last;
  private int openAttempts;
  private int visits;
  private final List<String> asked = new ArrayList<>(1);
  private Reason reason = Reason.NEVER_WRITTEN;
  private String detail = "";
  // Blocks that came before an earlier one of their attempt, by place and sequence.
  private Map<Integer, Map<Integer, HeldBlock>> held;
  // Contents of which the first parts have come, by place.
  private Map<Integer, Joining> joining;

  /** A decompressed block that waits for its turn. */
  static final class HeldBlock {
    private final byte[] content;
    private final int records;
    private final boolean last;
    private final boolean continued;

    /**
     * @param content takes
     */
    HeldBlock(byte[] content, int records, boolean last, boolean continued) {
      this.content = content;
      this.records = records;
      this.last = last;
      this.continued = continued;
    }

    byte[] content() {
      return content;
    }

    int records() {
      return records;
    }

    boolean last() {
      return last;
    }

    boolean continued() {
      return continued;
    }
  }

  /** The parts of a content so far. */
  static final class Joining {
    private byte[] bytes;
    private int length;
    private int records;

    Joining(int capacity) {
      this.bytes = new byte[capacity];
    }

    void add(byte[] part, int partLength, int partRecords) {
      if (bytes.length - length < partLength) {
        long wanted = Math.max((long) length + partLength, bytes.length * 2L);
        bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, Integer.MAX_VALUE - 16));
      }
      System.arraycopy(part, 0, bytes, length, partLength);
      length += partLength;
      records += partRecords;
    }

    byte[] bytes() {
      return bytes;
    }

    int length() {
      return length;
    }

    int records() {
      return records;
    }
  }

  /**
   * @param range of the assignment that holds the partition
   * @param firstReplica the replica to ask first
   */
  PartitionProgress(ExpectedAttempts expected, int range, int firstReplica, int replicas) {
    this.expected = expected;
    this.range = range;
    this.firstReplica = firstReplica;
    this.replicas = replicas;
    this.next = new int[expected.count()];
    this.last = new int[expected.count()];
    Arrays.fill(last, UNKNOWN);
    this.openAttempts = expected.count();
  }

  int partition() {
    return expected.partition();
  }

  int range() {
    return range;
  }

  ExpectedAttempts expected() {
    return expected;
  }

  boolean isWhole() {
    return openAttempts == 0;
  }

  boolean isWhole(int place) {
    return last[place] != UNKNOWN && next[place] > last[place];
  }

  /** Number of the block of an attempt that is to be given next. */
  int next(int place) {
    return next[place];
  }

  /** The next block of an attempt has been given. */
  void given(int place, boolean isLast) {
    if (isLast) {
      last[place] = next[place];
      openAttempts--;
    }
    next[place]++;
  }

  /** Keeps a block that came early; false if it is there already. */
  boolean hold(int place, int sequence, HeldBlock block) {
    if (held == null) {
      held = new HashMap<>();
    }
    return held.computeIfAbsent(place, p -> new HashMap<>()).putIfAbsent(sequence, block) == null;
  }

  boolean isHeld(int place, int sequence) {
    return held != null && held.containsKey(place) && held.get(place).containsKey(sequence);
  }

  /** Takes the block whose turn it is, if it came early; else null. */
  HeldBlock takeHeld(int place) {
    if (held == null) {
      return null;
    }
    Map<Integer, HeldBlock> ofPlace = held.get(place);
    return ofPlace == null ? null : ofPlace.remove(next[place]);
  }

  /** The content under way, or null. */
  Joining joining(int place) {
    return joining == null ? null : joining.get(place);
  }

  void startJoining(int place, Joining started) {
    if (joining == null) {
      joining = new HashMap<>();
    }
    joining.put(place, started);
  }

  void endJoining(int place) {
    joining.remove(place);
  }

  /** Replica to ask next, or -1 if all have been asked. */
  int nextReplica() {
    return visits < replicas ? (firstReplica + visits++) % replicas : -1;
  }

  boolean hasMoreReplicas() {
    return visits < replicas;
  }

  /** A server was asked and did not have all. */
  void failed(String server, Reason why, String said) {
    if (asked.isEmpty() || !asked.get(asked.size() - 1).equals(server)) {
      asked.add(server);
    }
    reason = why;
    detail = said;
  }

  /** The attempts that are not whole, at most so many. */
  List<MissingBlocks> missing(int most) {
    List<MissingBlocks> missing = new ArrayList<>();
    for (int place = 0; place < next.length && missing.size() < most; place++) {
      if (!isWhole(place)) {
        missing.add(
            new MissingBlocks(
                partition(),
                expected.attempt(place),
                expected.mapIndex(place),
                reason,
                asked,
                detail));
      }
    }
    return missing;
  }
}

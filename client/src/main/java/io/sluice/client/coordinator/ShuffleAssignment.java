package io.sluice.client.coordinator;

import io.sluice.common.config.HostText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The servers of the partitions of one shuffle. Partitions are grouped in contiguous ranges, and
 * each range has one chain of servers per replica. Every task description contains it, by Java
 * serialization or as {@link #toBytes}: its size depends on the number of ranges and servers, not
 * of partitions. Immutable.
 *
 * <p>A chain has one server at first. When a server fails, or a partition becomes too large for it,
 * a server is added to the chain; the result is a new assignment of the next generation. Map tasks
 * push to the newest server of a chain. Blocks may be on any server of it, so readers visit all of
 * them.
 *
 * <p>Invariants: a server is at most once in a chain. A server that was replaced is never the
 * newest of a chain. Every chain that has it has its replacement too, so frames for the replaced
 * server can go to the replacement unchanged.
 */
public final class ShuffleAssignment implements Serializable {
  private static final long serialVersionUID = 2L;

  private final transient ShuffleId shuffle;
  private final transient int generation;
  private final transient List<ServerId> servers;

  private final transient Replacements replacements;

  private final transient int[] firstOfRange;

  /** By range and replica. Arrays are shared between ranges and never changed. */
  private final transient int[][][] chains;

  private final transient int partitionCount;

  /** Takes all arrays. Called by this class and its codec. */
  ShuffleAssignment(
      ShuffleId shuffle,
      int generation,
      List<ServerId> servers,
      Replacements replacements,
      int[] firstOfRange,
      int[][][] chains,
      int partitionCount) {
    this.shuffle = shuffle;
    this.generation = generation;
    this.servers = servers;
    this.replacements = replacements;
    this.firstOfRange = firstOfRange;
    this.chains = chains;
    this.partitionCount = partitionCount;
  }

  /**
   * Creates the assignment of a coordinator's reply.
   *
   * @throws SluiceException INTERNAL if the ranges do not cover all partitions in order
   */
  public static ShuffleAssignment of(
      ShuffleId shuffle, int partitionCount, RegisterShuffleReply reply) throws SluiceException {
    for (ServerId server : reply.getServersList()) {
      String problem = problemOf(server);
      if (problem != null) {
        throw malformed(problem);
      }
    }
    int ranges = reply.getRangesCount();
    int[] first = new int[ranges];
    int[][][] chains = new int[ranges][][];
    int next = 0;
    for (int i = 0; i < ranges; i++) {
      PartitionRange range = reply.getRanges(i);
      if (range.getFirst() != next || range.getLast() < next) {
        throw malformed("range " + i + " is " + range.getFirst() + ".." + range.getLast());
      }
      next = range.getLast() + 1;
      first[i] = range.getFirst();
      chains[i] = new int[range.getServersCount()][];
      for (int replica = 0; replica < chains[i].length; replica++) {
        int server = range.getServers(replica);
        if (server < 0 || server >= reply.getServersCount()) {
          throw malformed("range " + i + " has unknown server " + server);
        }
        chains[i][replica] = new int[] {server};
      }
      if (chains[i].length == 0) {
        throw malformed("range " + i + " has no server");
      }
    }
    if (next != partitionCount || ranges == 0) {
      throw malformed("ranges cover " + next + " of " + partitionCount + " partitions");
    }
    return new ShuffleAssignment(
        shuffle,
        0,
        List.copyOf(reply.getServersList()),
        Replacements.none(reply.getServersCount()),
        first,
        chains,
        partitionCount);
  }

  /** Describes why the address of a server is invalid; null if it is valid. */
  static String problemOf(ServerId server) {
    return server.getHost().isEmpty() || server.getRpcPort() < 1 || server.getRpcPort() > 65535
        ? "server \""
            + server.getName()
            + "\" has the invalid address "
            + HostText.withPort(server.getHost(), server.getRpcPort())
        : null;
  }

  private static SluiceException malformed(String what) {
    return new SluiceException(
        StatusCode.INTERNAL, "malformed assignment from the coordinator: " + what);
  }

  public ShuffleId shuffle() {
    return shuffle;
  }

  /** 0 at registration; every change adds 1. */
  public int generation() {
    return generation;
  }

  public int partitionCount() {
    return partitionCount;
  }

  /**
   * All servers that are or were in a chain, each with its epoch when it was added. A server keeps
   * its index in all later generations.
   */
  public List<ServerId> servers() {
    return servers;
  }

  /** Index in {@link #servers} of a server; -1 if it is not there. */
  public int indexOf(String server) {
    for (int i = 0; i < servers.size(); i++) {
      if (servers.get(i).getName().equals(server)) {
        return i;
      }
    }
    return -1;
  }

  public int rangeCount() {
    return firstOfRange.length;
  }

  /** The range that contains a partition, by binary search. */
  public int rangeOf(int partition) {
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition out of range: partition=" + partition + " partitions=" + partitionCount);
    }
    int position = Arrays.binarySearch(firstOfRange, partition);
    return position >= 0 ? position : -position - 2;
  }

  /** First partition of a range. */
  public int firstPartition(int range) {
    return firstOfRange[range];
  }

  /** Last partition of a range, inclusive. */
  public int lastPartition(int range) {
    return range + 1 < firstOfRange.length ? firstOfRange[range + 1] - 1 : partitionCount - 1;
  }

  /** Number of replicas of every partition of a range, at least 1. */
  public int replicaCount(int range) {
    return chains[range].length;
  }

  /** Number of servers in the chain of a replica, at least 1. */
  public int chainLength(int range, int replica) {
    return chains[range][replica].length;
  }

  /**
   * Index in {@link #servers} of a server in the chain of a replica, which may have blocks of the
   * range.
   *
   * @param position position in the chain; 0 is the oldest server
   */
  public int chainServer(int range, int replica, int position) {
    return chains[range][replica][position];
  }

  /** Index in {@link #servers} of the newest server of a chain, to which map tasks push. */
  public int serverIndex(int range, int replica) {
    int[] chain = chains[range][replica];
    return chain[chain.length - 1];
  }

  /** The servers to which a partition is pushed, one per replica. */
  public List<ServerId> serversOf(int partition) {
    int range = rangeOf(partition);
    return IntStream.range(0, replicaCount(range))
        .mapToObj(replica -> servers.get(serverIndex(range, replica)))
        .toList();
  }

  /** Whether a server was replaced, after a failure or because it moves its data. */
  public boolean hasReplaced(String server) {
    int index = indexOf(server);
    return index >= 0 && replacements.has(index);
  }

  /** Whether a server moves its data, and map tasks did not give it up. */
  public boolean isLeaving(String server) {
    int index = indexOf(server);
    return index >= 0 && replacements.isLeaving(index);
  }

  /**
   * The last replacement of a server: its replacement, or the replacement of that server if it was
   * replaced too. Empty for a server that was not replaced.
   */
  public Optional<ServerId> replacementOf(String server) {
    int index = indexOf(server);
    return index < 0 || !replacements.has(index)
        ? Optional.empty()
        : Optional.of(servers.get(replacementOf(index)));
  }

  /** Index of the last replacement of a server; the server itself if it was not replaced. */
  public int replacementOf(int server) {
    return replacements.last(server);
  }

  Replacements replacements() {
    return replacements;
  }

  /** Filters partitions: returns those that are pushed to a server, ascending. */
  public List<Integer> pushedTo(String server, Collection<Integer> partitions) {
    int index = indexOf(server);
    return partitions.stream()
        .distinct()
        .filter(partition -> index >= 0 && isNewest(index, rangeOf(partition)))
        .sorted()
        .toList();
  }

  private boolean isNewest(int server, int range) {
    return IntStream.range(0, chains[range].length)
        .anyMatch(replica -> serverIndex(range, replica) == server);
  }

  /**
   * Replaces a failed server: in every chain that has it, the replacement is directly behind it, or
   * keeps its position if that is later. Returns the next generation.
   *
   * @return this assignment if the server was replaced before
   * @throws IllegalArgumentException if the server is not in the assignment, or the replacement is
   *     the same server or was replaced itself
   */
  public ShuffleAssignment replaceFailed(String server, ServerId by) {
    int failed = requireKnown(server);
    if (replacements.has(failed)) {
      return this;
    }
    int other = requireUsable(server, by);
    int[][][] changed = new int[chains.length][][];
    for (int range = 0; range < chains.length; range++) {
      changed[range] = new int[chains[range].length][];
      for (int replica = 0; replica < changed[range].length; replica++) {
        changed[range][replica] = ServerChains.withAfter(chains[range][replica], failed, other);
      }
    }
    return next(by, replacements.with(failed, other, false), firstOfRange, changed);
  }

  /**
   * Adds the server to which a leaving server moves its data, to every chain that has the leaving
   * server. If the leaving server has no replacement, the new server replaces it, as after a
   * failure. Otherwise the new server is only read from. Returns the next generation.
   *
   * @return this assignment if nothing changes
   * @throws IllegalArgumentException if the server is not in the assignment, or both servers are
   *     the same
   */
  public ShuffleAssignment moved(String server, ServerId to) {
    return moved(server, to, false);
  }

  /**
   * As {@link #moved}, with a server that serves the runs of a lost server on the remote tier.
   * Readers do not wait for the lost server, as if map tasks had given it up.
   */
  public ShuffleAssignment adopted(String server, ServerId by) {
    return moved(server, by, true);
  }

  private ShuffleAssignment moved(String server, ServerId to, boolean lost) {
    int leaving = requireKnown(server);
    if (to.getName().equals(server) || problemOf(to) != null) {
      throw new IllegalArgumentException(
          "server " + server + " cannot move to " + to.getName() + " in " + this);
    }
    int found = indexOf(to.getName());
    int other = found < 0 ? servers.size() : found;
    boolean first = !replacements.has(leaving);
    // The leaving server may be the replacement of the other one, which map tasks gave up.
    boolean cyclic = first && found >= 0 && replacementOf(other) == leaving;
    // The server may be lost during its move to another server.
    boolean lostNow = lost && !first && replacements.isLeaving(leaving);
    boolean leavesNow = cyclic && !replacements.isLeaving(leaving);
    boolean any = (first && !cyclic) || lostNow || leavesNow;
    int[][][] changed = new int[chains.length][][];
    for (int range = 0; range < chains.length; range++) {
      changed[range] = new int[chains[range].length][];
      for (int replica = 0; replica < changed[range].length; replica++) {
        int[] chain = chains[range][replica];
        changed[range][replica] =
            cyclic
                ? ServerChains.withBefore(chain, leaving, other, replacements)
                : ServerChains.withMoved(chain, leaving, other, first, replacements);
        any |= changed[range][replica] != chain;
      }
    }
    if (!any) {
      return this;
    }
    Replacements before = replacements;
    if (lostNow) {
      before = replacements.givenUp(leaving);
    } else if (leavesNow) {
      before = replacements.leaving(leaving);
    }
    Replacements replaced =
        first && !cyclic ? before.with(leaving, other, !lost) : before.forServers(other + 1);
    return next(to, replaced, firstOfRange, changed);
  }

  /**
   * Adds a server for partitions that are too large for one server: where that server is the newest
   * of a chain, the other one is appended. Returns the next generation.
   *
   * @return this assignment if no chain changes
   * @throws IllegalArgumentException if the server is not in the assignment, or the other one is
   *     the same server or was replaced
   */
  public ShuffleAssignment replaceFull(String server, int[] partitions, ServerId by) {
    int full = requireKnown(server);
    int other = requireUsable(server, by);
    int[] moving =
        Arrays.stream(partitions)
            .distinct()
            .filter(partition -> isNewest(full, rangeOf(partition)))
            .sorted()
            .toArray();
    List<Integer> firsts = new ArrayList<>();
    List<int[][]> changed = new ArrayList<>();
    int at = 0;
    boolean any = false;
    for (int range = 0; range < chains.length; range++) {
      int[][] with = ServerChains.withNewest(chains[range], full, other);
      int last = lastPartition(range);
      int from = firstOfRange[range];
      while (at < moving.length && moving[at] <= last) {
        int partition = moving[at++];
        any |= with != chains[range];
        if (partition > from) {
          append(firsts, changed, from, chains[range]);
        }
        append(firsts, changed, partition, with);
        from = partition + 1;
      }
      if (from <= last) {
        append(firsts, changed, from, chains[range]);
      }
    }
    if (!any) {
      return this;
    }
    return next(
        by,
        replacements.forServers(other + 1),
        firsts.stream().mapToInt(Integer::intValue).toArray(),
        changed.toArray(new int[0][][]));
  }

  /** Adds a range, or extends the previous one if it has the same chains. */
  private static void append(
      List<Integer> firsts, List<int[][]> changed, int first, int[][] chainsOfRange) {
    if (changed.isEmpty() || !Arrays.deepEquals(changed.get(changed.size() - 1), chainsOfRange)) {
      firsts.add(first);
      changed.add(chainsOfRange);
    }
  }

  private int requireKnown(String server) {
    int index = indexOf(server);
    if (index < 0) {
      throw new IllegalArgumentException("server " + server + " is not in " + this);
    }
    return index;
  }

  private int requireUsable(String server, ServerId by) {
    int index = indexOf(by.getName());
    if (by.getName().equals(server)
        || (index >= 0 && replacements.has(index))
        || problemOf(by) != null) {
      throw new IllegalArgumentException(
          "server " + server + " cannot be replaced by " + by.getName() + " in " + this);
    }
    return index < 0 ? servers.size() : index;
  }

  private ShuffleAssignment next(
      ServerId by, Replacements replaced, int[] firsts, int[][][] changed) {
    List<ServerId> all = servers;
    if (replaced.count() > servers.size()) {
      all = new ArrayList<>(servers);
      all.add(by);
    }
    return new ShuffleAssignment(
        shuffle, generation + 1, List.copyOf(all), replaced, firsts, changed, partitionCount);
  }

  /** The chains of a range, one per replica. Not to be changed. */
  int[][] chainsOf(int range) {
    return chains[range];
  }

  /** Encodes the assignment for {@link #fromBytes}. */
  public byte[] toBytes() {
    return AssignmentCodec.encode(this);
  }

  /**
   * Decodes the bytes of {@link #toBytes}.
   *
   * @throws SluiceException BAD_VERSION if another version of Sluice wrote the bytes, BAD_MESSAGE
   *     if they are malformed
   */
  public static ShuffleAssignment fromBytes(byte[] bytes) throws SluiceException {
    return AssignmentCodec.decode(bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ShuffleAssignment that
        && shuffle.equals(that.shuffle)
        && generation == that.generation
        && partitionCount == that.partitionCount
        && servers.equals(that.servers)
        && replacements.equals(that.replacements)
        && Arrays.equals(firstOfRange, that.firstOfRange)
        && Arrays.deepEquals(chains, that.chains);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * shuffle.hashCode() + generation) + Arrays.hashCode(firstOfRange);
  }

  @Override
  public String toString() {
    return "assignment application="
        + shuffle.getApplication()
        + " shuffle="
        + shuffle.getShuffle()
        + " generation="
        + generation
        + " partitions="
        + partitionCount
        + " ranges="
        + rangeCount()
        + " servers="
        + servers.size();
  }

  private Object writeReplace() {
    return new Encoded(toBytes());
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("an assignment is serialized as its bytes");
  }

  /** Serialized form of an assignment. */
  private static final class Encoded implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[] bytes;

    Encoded(byte[] bytes) {
      this.bytes = bytes;
    }

    private Object readResolve() throws InvalidObjectException {
      try {
        return fromBytes(bytes);
      } catch (SluiceException e) {
        InvalidObjectException invalid = new InvalidObjectException(e.getMessage());
        invalid.initCause(e);
        throw invalid;
      }
    }
  }
}

package io.sluice.client.coordinator;

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
 * Which servers hold which partitions of one shuffle: contiguous ranges, each with one chain of
 * servers per replica. Its size follows the number of ranges and servers, not of partitions, so it
 * can travel in every task's description, as Java serialization or as {@link #toBytes}. Immutable.
 *
 * <p>A chain has one server at first. When a server fails or a partition grows too large for it, a
 * further server joins: the result is another assignment of the next generation. Writers push to
 * the newest server of a chain; blocks of the partition may be on any of them, so readers take the
 * union.
 *
 * <p>Invariants: no chain names a server twice; a server that was replaced because it failed is
 * never the newest of a chain, and every chain that has it has its replacement too, so what was
 * meant for the one may go to the other as it is.
 */
public final class ShuffleAssignment implements Serializable {
  private static final long serialVersionUID = 2L;

  private final transient ShuffleId shuffle;
  private final transient int generation;
  private final transient List<ServerId> servers;

  /** By server: who took over from it when it failed, or -1. */
  private final transient int[] replacements;

  private final transient int[] firstOfRange;

  /** By range and replica. Arrays are shared between ranges and never changed. */
  private final transient int[][][] chains;

  private final transient int partitionCount;

  /** Takes all arrays; used by this class and its codec. */
  ShuffleAssignment(
      ShuffleId shuffle,
      int generation,
      List<ServerId> servers,
      int[] replacements,
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
   * Takes a coordinator's reply apart.
   *
   * @throws SluiceException INTERNAL if it does not cover the partitions as the protocol demands
   */
  public static ShuffleAssignment of(
      ShuffleId shuffle, int partitionCount, RegisterShuffleReply reply) throws SluiceException {
    for (ServerId server : reply.getServersList()) {
      String problem = problemOf(server);
      if (problem != null) {
        throw wrong(problem);
      }
    }
    int ranges = reply.getRangesCount();
    int[] first = new int[ranges];
    int[][][] chains = new int[ranges][][];
    int next = 0;
    for (int i = 0; i < ranges; i++) {
      PartitionRange range = reply.getRanges(i);
      if (range.getFirst() != next || range.getLast() < next) {
        throw wrong("range " + i + " is " + range.getFirst() + ".." + range.getLast());
      }
      next = range.getLast() + 1;
      first[i] = range.getFirst();
      chains[i] = new int[range.getServersCount()][];
      for (int replica = 0; replica < chains[i].length; replica++) {
        int server = range.getServers(replica);
        if (server < 0 || server >= reply.getServersCount()) {
          throw wrong("range " + i + " names server " + server);
        }
        chains[i][replica] = new int[] {server};
      }
      if (chains[i].length == 0) {
        throw wrong("range " + i + " has no server");
      }
    }
    if (next != partitionCount || ranges == 0) {
      throw wrong("ranges end at " + next + " of " + partitionCount + " partitions");
    }
    int[] replacements = new int[reply.getServersCount()];
    Arrays.fill(replacements, -1);
    return new ShuffleAssignment(
        shuffle,
        0,
        List.copyOf(reply.getServersList()),
        replacements,
        first,
        chains,
        partitionCount);
  }

  /** What makes it impossible to reach a server, or null. */
  static String problemOf(ServerId server) {
    return server.getHost().isEmpty() || server.getRpcPort() < 1 || server.getRpcPort() > 65535
        ? "server \""
            + server.getName()
            + "\" has the address "
            + server.getHost()
            + ":"
            + server.getRpcPort()
        : null;
  }

  private static SluiceException wrong(String what) {
    return new SluiceException(StatusCode.INTERNAL, "assignment does not fit: " + what);
  }

  public ShuffleId shuffle() {
    return shuffle;
  }

  /** 0 at registration, and one more with every change. */
  public int generation() {
    return generation;
  }

  public int partitionCount() {
    return partitionCount;
  }

  /**
   * The servers that take part or took part, each with its epoch when it joined. A server keeps its
   * index in all later generations.
   */
  public List<ServerId> servers() {
    return servers;
  }

  /** Index into {@link #servers} of the server of that name, or -1. */
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

  /** The range that holds a partition, by binary search. */
  public int rangeOf(int partition) {
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " of a shuffle with " + partitionCount + " partitions");
    }
    int place = Arrays.binarySearch(firstOfRange, partition);
    return place >= 0 ? place : -place - 2;
  }

  /** First partition of a range. */
  public int firstPartition(int range) {
    return firstOfRange[range];
  }

  /** Last partition of a range, included. */
  public int lastPartition(int range) {
    return range + 1 < firstOfRange.length ? firstOfRange[range + 1] - 1 : partitionCount - 1;
  }

  /** Copies of every partition of a range, at least 1. */
  public int replicaCount(int range) {
    return chains[range].length;
  }

  /** Servers that a replica of a range has had, at least 1. */
  public int chainLength(int range, int replica) {
    return chains[range][replica].length;
  }

  /**
   * Index into {@link #servers} of a server that may hold blocks of a replica of a range.
   *
   * @param place 0 is the oldest
   */
  public int chainServer(int range, int replica, int place) {
    return chains[range][replica][place];
  }

  /** Index into {@link #servers} of the server where a replica of a range is pushed: the newest. */
  public int serverIndex(int range, int replica) {
    int[] chain = chains[range][replica];
    return chain[chain.length - 1];
  }

  /** The servers where a partition is pushed, one per replica. */
  public List<ServerId> serversOf(int partition) {
    int range = rangeOf(partition);
    return IntStream.range(0, replicaCount(range))
        .mapToObj(replica -> servers.get(serverIndex(range, replica)))
        .toList();
  }

  /** Whether the server was replaced because it failed. */
  public boolean hasReplaced(String server) {
    int index = indexOf(server);
    return index >= 0 && replacements[index] >= 0;
  }

  /**
   * Who takes what was meant for a server that failed: its replacement, or that one's if it failed
   * as well. Empty for a server that was not replaced.
   */
  public Optional<ServerId> replacementOf(String server) {
    int index = indexOf(server);
    return index < 0 || replacements[index] < 0
        ? Optional.empty()
        : Optional.of(servers.get(replacementOf(index)));
  }

  /** The same by index; the index itself for a server that was not replaced. */
  public int replacementOf(int server) {
    int at = server;
    while (replacements[at] >= 0) {
      at = replacements[at];
    }
    return at;
  }

  int directReplacement(int server) {
    return replacements[server];
  }

  /** Those of some partitions that are pushed to a server, ascending. */
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
   * The next generation, in which another server stands in for one that failed: in every chain that
   * has the failed one, the other comes right after it, or stays where it is if it comes later.
   *
   * @return this assignment if the server was replaced before
   * @throws IllegalArgumentException if the server takes no part, or the other one is it or has
   *     failed as well
   */
  public ShuffleAssignment replaceFailed(String server, ServerId by) {
    int failed = requireKnown(server);
    if (replacements[failed] >= 0) {
      return this;
    }
    int other = requireUsable(server, by);
    int[][][] changed = new int[chains.length][][];
    for (int range = 0; range < chains.length; range++) {
      changed[range] = new int[chains[range].length][];
      for (int replica = 0; replica < changed[range].length; replica++) {
        changed[range][replica] = withAfter(chains[range][replica], failed, other);
      }
    }
    int[] replaced = Arrays.copyOf(replacements, Math.max(replacements.length, other + 1));
    Arrays.fill(replaced, replacements.length, replaced.length, -1);
    replaced[failed] = other;
    return next(by, replaced, firstOfRange, changed);
  }

  /**
   * The next generation, in which another server has what one had that leaves: every chain that has
   * the leaving one has the other, too. If nobody has replaced the leaving server before, the other
   * one does, as for a server that failed; else it is only one more place to look.
   *
   * @return this assignment if nothing changes
   * @throws IllegalArgumentException if the server takes no part, or the other one is it
   */
  public ShuffleAssignment moved(String server, ServerId to) {
    int leaving = requireKnown(server);
    if (to.getName().equals(server) || problemOf(to) != null) {
      throw new IllegalArgumentException(
          "server " + server + " cannot move to " + to.getName() + " in " + this);
    }
    int found = indexOf(to.getName());
    int other = found < 0 ? servers.size() : found;
    boolean first = replacements[leaving] < 0;
    // The leaving server may stand in for the other one, which writers have given up.
    boolean circle = first && found >= 0 && replacementOf(other) == leaving;
    boolean any = first && !circle;
    int[][][] changed = new int[chains.length][][];
    for (int range = 0; range < chains.length; range++) {
      changed[range] = new int[chains[range].length][];
      for (int replica = 0; replica < changed[range].length; replica++) {
        int[] chain = chains[range][replica];
        changed[range][replica] =
            circle ? withBefore(chain, leaving, other) : withMoved(chain, leaving, other, first);
        any |= changed[range][replica] != chain;
      }
    }
    if (!any) {
      return this;
    }
    int[] replaced = Arrays.copyOf(replacements, Math.max(replacements.length, other + 1));
    Arrays.fill(replaced, replacements.length, replaced.length, -1);
    if (first && !circle) {
      replaced[leaving] = other;
    }
    return next(to, replaced, firstOfRange, changed);
  }

  /**
   * @param newer whether the other server is to be newer than the leaving one, or just there
   */
  private int[] withMoved(int[] chain, int leaving, int other, boolean newer) {
    if (placeOf(chain, leaving) < 0 || (!newer && placeOf(chain, other) >= 0)) {
      return chain;
    }
    int[] with = withAfter(chain, leaving, other);
    // Whoever was given up does not stay the newest.
    int at = other;
    while (at < replacements.length && replacements[at] >= 0) {
      with = withAfter(with, at, replacements[at]);
      at = replacements[at];
    }
    return with;
  }

  /** Adds a server that was given up, and those that replaced it one after the other, as older. */
  private int[] withBefore(int[] chain, int leaving, int other) {
    if (placeOf(chain, leaving) < 0) {
      return chain;
    }
    int[] with = chain;
    for (int at = other; at != leaving; at = replacements[at]) {
      if (placeOf(with, at) < 0) {
        int added = at;
        with =
            Arrays.stream(with)
                .flatMap(one -> one == leaving ? IntStream.of(added, one) : IntStream.of(one))
                .toArray();
      }
    }
    return with;
  }

  /**
   * The next generation, in which another server takes over some partitions that have grown too
   * large for one: where that one is the newest of a chain, the other is added.
   *
   * @return this assignment if no chain changes
   * @throws IllegalArgumentException if the server takes no part, or the other one is it or has
   *     failed
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
      int[][] with = withNewest(chains[range], full, other);
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
    int[] replaced = Arrays.copyOf(replacements, Math.max(replacements.length, other + 1));
    Arrays.fill(replaced, replacements.length, replaced.length, -1);
    return next(
        by,
        replaced,
        firsts.stream().mapToInt(Integer::intValue).toArray(),
        changed.toArray(new int[0][][]));
  }

  /** Adds a range, or makes the one before it longer if it has the same servers. */
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
      throw new IllegalArgumentException("server " + server + " takes no part in " + this);
    }
    return index;
  }

  private int requireUsable(String server, ServerId by) {
    int index = indexOf(by.getName());
    if (by.getName().equals(server)
        || (index >= 0 && replacements[index] >= 0)
        || problemOf(by) != null) {
      throw new IllegalArgumentException(
          "server " + server + " cannot be replaced by " + by.getName() + " in " + this);
    }
    return index < 0 ? servers.size() : index;
  }

  private ShuffleAssignment next(ServerId by, int[] replaced, int[] firsts, int[][][] changed) {
    List<ServerId> all = servers;
    if (replaced.length > servers.size()) {
      all = new ArrayList<>(servers);
      all.add(by);
    }
    return new ShuffleAssignment(
        shuffle, generation + 1, List.copyOf(all), replaced, firsts, changed, partitionCount);
  }

  private static int[] withAfter(int[] chain, int failed, int other) {
    int place = placeOf(chain, failed);
    int present = placeOf(chain, other);
    if (place < 0 || present > place) {
      return chain;
    }
    // A server that stood before the failed one is needed behind it: it is the newest again.
    return IntStream.range(0, chain.length)
        .filter(i -> i != present)
        .flatMap(i -> i == place ? IntStream.of(failed, other) : IntStream.of(chain[i]))
        .toArray();
  }

  private static int[][] withNewest(int[][] chainsOfRange, int full, int other) {
    int[][] with = chainsOfRange;
    for (int replica = 0; replica < chainsOfRange.length; replica++) {
      int[] chain = chainsOfRange[replica];
      if (chain[chain.length - 1] == full && placeOf(chain, other) < 0) {
        with = with == chainsOfRange ? chainsOfRange.clone() : with;
        with[replica] = Arrays.copyOf(chain, chain.length + 1);
        with[replica][chain.length] = other;
      }
    }
    return with;
  }

  private static int placeOf(int[] chain, int server) {
    for (int i = 0; i < chain.length; i++) {
      if (chain[i] == server) {
        return i;
      }
    }
    return -1;
  }

  /** The chains of a range, one per replica. Not to be changed. */
  int[][] chainsOf(int range) {
    return chains[range];
  }

  /** The assignment as bytes for {@link #fromBytes}. */
  public byte[] toBytes() {
    return AssignmentCodec.encode(this);
  }

  /**
   * Reads what {@link #toBytes} wrote.
   *
   * @throws SluiceException BAD_VERSION if another version of Sluice wrote it, BAD_MESSAGE if the
   *     bytes are something else
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
        && Arrays.equals(replacements, that.replacements)
        && Arrays.equals(firstOfRange, that.firstOfRange)
        && Arrays.deepEquals(chains, that.chains);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * shuffle.hashCode() + generation) + Arrays.hashCode(firstOfRange);
  }

  @Override
  public String toString() {
    return "assignment app="
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

  /** What Java serialization carries. */
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

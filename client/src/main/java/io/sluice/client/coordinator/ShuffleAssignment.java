package io.sluice.client.coordinator;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Which servers hold which partitions of one shuffle: contiguous ranges, each with its servers, one
 * per replica. Its size follows the number of ranges and servers, not of partitions, so it can
 * travel in every task's description, as Java serialization or as {@link #toBytes}. Immutable.
 */
public final class ShuffleAssignment implements Serializable {
  private static final long serialVersionUID = 1L;

  /** First byte of the encoding; a reader refuses what it does not know. */
  private static final byte VERSION = 1;

  private final transient ShuffleId shuffle;
  private final transient List<ServerId> servers;
  private final transient int[] firstOfRange;
  private final transient int[][] serversOfRange;
  private final transient int partitionCount;

  private ShuffleAssignment(
      ShuffleId shuffle,
      List<ServerId> servers,
      int[] firstOfRange,
      int[][] serversOfRange,
      int partitionCount) {
    this.shuffle = shuffle;
    this.servers = servers;
    this.firstOfRange = firstOfRange;
    this.serversOfRange = serversOfRange;
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
      if (server.getHost().isEmpty() || server.getRpcPort() < 1 || server.getRpcPort() > 65535) {
        throw wrong(
            "server \""
                + server.getName()
                + "\" has the address "
                + server.getHost()
                + ":"
                + server.getRpcPort());
      }
    }
    int ranges = reply.getRangesCount();
    int[] first = new int[ranges];
    int[][] servers = new int[ranges][];
    int next = 0;
    for (int i = 0; i < ranges; i++) {
      PartitionRange range = reply.getRanges(i);
      if (range.getFirst() != next || range.getLast() < next) {
        throw wrong("range " + i + " is " + range.getFirst() + ".." + range.getLast());
      }
      next = range.getLast() + 1;
      first[i] = range.getFirst();
      servers[i] = new int[range.getServersCount()];
      for (int replica = 0; replica < servers[i].length; replica++) {
        servers[i][replica] = range.getServers(replica);
        if (servers[i][replica] < 0 || servers[i][replica] >= reply.getServersCount()) {
          throw wrong("range " + i + " names server " + servers[i][replica]);
        }
      }
      if (servers[i].length == 0) {
        throw wrong("range " + i + " has no server");
      }
    }
    if (next != partitionCount || ranges == 0) {
      throw wrong("ranges end at " + next + " of " + partitionCount + " partitions");
    }
    return new ShuffleAssignment(
        shuffle, List.copyOf(reply.getServersList()), first, servers, partitionCount);
  }

  private static SluiceException wrong(String what) {
    return new SluiceException(StatusCode.INTERNAL, "assignment does not fit: " + what);
  }

  public ShuffleId shuffle() {
    return shuffle;
  }

  public int partitionCount() {
    return partitionCount;
  }

  /** The servers that take part, each with its epoch at assignment. */
  public List<ServerId> servers() {
    return servers;
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
    return serversOfRange[range].length;
  }

  /** Index into {@link #servers} of the server that holds a replica of a range. */
  public int serverIndex(int range, int replica) {
    return serversOfRange[range][replica];
  }

  /** The servers that hold a partition, one per replica. */
  public List<ServerId> serversOf(int partition) {
    return Arrays.stream(serversOfRange[rangeOf(partition)]).mapToObj(servers::get).toList();
  }

  /** The assignment as bytes for {@link #fromBytes}. */
  public byte[] toBytes() {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder().addAllServers(servers);
    for (int range = 0; range < firstOfRange.length; range++) {
      PartitionRange.Builder one =
          reply.addRangesBuilder().setFirst(firstPartition(range)).setLast(lastPartition(range));
      Arrays.stream(serversOfRange[range]).forEach(one::addServers);
    }
    byte[] body = reply.build().toByteArray();
    byte[] application = shuffle.getApplication().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + 3 * Integer.BYTES + application.length + body.length)
        .put(VERSION)
        .putInt(shuffle.getShuffle())
        .putInt(partitionCount)
        .putInt(application.length)
        .put(application)
        .put(body)
        .array();
  }

  /**
   * Reads what {@link #toBytes} wrote.
   *
   * @throws SluiceException BAD_MESSAGE if the bytes are something else
   */
  public static ShuffleAssignment fromBytes(byte[] bytes) throws SluiceException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte version = in.get();
      if (version != VERSION) {
        throw new SluiceException(
            StatusCode.BAD_VERSION,
            "assignment: expected version " + VERSION + ", found " + version);
      }
      int shuffle = in.getInt();
      int partitions = in.getInt();
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new SluiceException(
            StatusCode.BAD_MESSAGE, "assignment: application name of " + length + " bytes");
      }
      ShuffleId id =
          ShuffleId.newBuilder()
              .setApplication(new String(bytes, in.position(), length, StandardCharsets.UTF_8))
              .setShuffle(shuffle)
              .build();
      in.position(in.position() + length);
      return of(id, partitions, RegisterShuffleReply.parseFrom(in));
    } catch (BufferUnderflowException | InvalidProtocolBufferException e) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE, "assignment: these " + bytes.length + " bytes are not one", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ShuffleAssignment that
        && shuffle.equals(that.shuffle)
        && partitionCount == that.partitionCount
        && servers.equals(that.servers)
        && Arrays.equals(firstOfRange, that.firstOfRange)
        && Arrays.deepEquals(serversOfRange, that.serversOfRange);
  }

  @Override
  public int hashCode() {
    return 31 * shuffle.hashCode() + Arrays.hashCode(firstOfRange);
  }

  @Override
  public String toString() {
    return "assignment app="
        + shuffle.getApplication()
        + " shuffle="
        + shuffle.getShuffle()
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

package io.sluice.client.coordinator;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Binary format of an assignment. Only the processes of one application exchange it, and they run
 * one version of Sluice. A reader rejects any other version.
 *
 * <pre>
 * assignment  = version, application, shuffle, generation, partitionCount,
 *               serverCount, server..., placementCount, placement..., rangeCount, range...
 * version     = 1 byte: 4
 * application = length, UTF-8
 * server      = length, message ServerId, replacement    replacement: twice the number of the
 *                                                        server that took over (0 for none, or its
 *                                                        index plus 1), plus 1 if this server moves
 *                                                        its data
 * placement   = chainCount, chain...                     one chain per replica
 * chain       = length, index of a server...             oldest first
 * range       = partitions, index of a placement         ranges follow each other from partition 0
 * </pre>
 *
 * All other numbers are varints. The last range is at the end of the bytes.
 */
final class AssignmentCodec {
  static final int VERSION = 4;

  private AssignmentCodec() {}

  static byte[] encode(ShuffleAssignment assignment) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      write(assignment, out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to an array cannot fail", e);
    }
    return bytes.toByteArray();
  }

  private static void write(ShuffleAssignment assignment, CodedOutputStream out)
      throws IOException {
    out.writeRawByte((byte) VERSION);
    out.writeStringNoTag(assignment.shuffle().getApplication());
    out.writeUInt32NoTag(assignment.shuffle().getShuffle());
    out.writeUInt32NoTag(assignment.generation());
    out.writeUInt32NoTag(assignment.partitionCount());
    out.writeUInt32NoTag(assignment.servers().size());
    for (int server = 0; server < assignment.servers().size(); server++) {
      out.writeMessageNoTag(assignment.servers().get(server));
      out.writeUInt32NoTag(replacement(assignment.replacements(), server));
    }
    Map<String, Integer> known = new LinkedHashMap<>();
    List<int[][]> placements = new ArrayList<>();
    int[] placementOf = new int[assignment.rangeCount()];
    for (int range = 0; range < placementOf.length; range++) {
      int[][] chains = assignment.chainsOf(range);
      Integer earlier = known.putIfAbsent(Arrays.deepToString(chains), placements.size());
      placementOf[range] = earlier == null ? placements.size() : earlier;
      if (earlier == null) {
        placements.add(chains);
      }
    }
    out.writeUInt32NoTag(placements.size());
    for (int[][] chains : placements) {
      out.writeUInt32NoTag(chains.length);
      for (int[] chain : chains) {
        out.writeUInt32NoTag(chain.length);
        for (int server : chain) {
          out.writeUInt32NoTag(server);
        }
      }
    }
    out.writeUInt32NoTag(placementOf.length);
    for (int range = 0; range < placementOf.length; range++) {
      out.writeUInt32NoTag(assignment.lastPartition(range) - assignment.firstPartition(range) + 1);
      out.writeUInt32NoTag(placementOf[range]);
    }
  }

  private static int replacement(Replacements replacements, int server) {
    return 2 * (replacements.direct(server) + 1) + (replacements.isLeaving(server) ? 1 : 0);
  }

  static ShuffleAssignment decode(byte[] bytes) throws SluiceException {
    if (bytes.length > 0 && bytes[0] != VERSION) {
      throw new SluiceException(
          StatusCode.BAD_VERSION,
          "unknown version of an assignment: expected="
              + VERSION
              + " found="
              + bytes[0]
              + "; run the same version of Sluice in all processes of the application");
    }
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    try {
      in.readRawByte();
      return read(in, bytes.length);
    } catch (IOException e) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE, "malformed assignment, bytes=" + bytes.length, e);
    }
  }

  private static ShuffleAssignment read(CodedInputStream in, int length)
      throws IOException, SluiceException {
    ShuffleId shuffle =
        ShuffleId.newBuilder()
            .setApplication(in.readStringRequireUtf8())
            .setShuffle(in.readUInt32())
            .build();
    int generation = in.readUInt32();
    int partitionCount = in.readUInt32();
    int serverCount = count(in, length, "servers");
    List<ServerId> servers = new ArrayList<>(serverCount);
    int[] replacements = new int[serverCount];
    boolean[] leaving = new boolean[serverCount];
    for (int server = 0; server < serverCount; server++) {
      servers.add(ServerId.parseFrom(in.readByteArray()));
      String problem = ShuffleAssignment.problemOf(servers.get(server));
      int replacement = in.readUInt32();
      replacements[server] = (replacement >>> 1) - 1;
      leaving[server] = (replacement & 1) == 1;
      if (problem != null || replacements[server] >= serverCount) {
        throw malformed(
            problem == null ? "server " + server + " has an unknown replacement" : problem);
      }
    }
    requireNoCycles(replacements);
    int[][][] placements = new int[count(in, length, "placements")][][];
    for (int placement = 0; placement < placements.length; placement++) {
      placements[placement] = new int[count(in, length, "replicas")][];
      for (int replica = 0; replica < placements[placement].length; replica++) {
        placements[placement][replica] = chain(in, length, serverCount);
      }
    }
    int[] firsts = new int[count(in, length, "ranges")];
    int[][][] chains = new int[firsts.length][][];
    long next = 0;
    for (int range = 0; range < firsts.length; range++) {
      firsts[range] = (int) next;
      int partitions = in.readUInt32();
      int placement = in.readUInt32();
      next += partitions;
      if (partitions < 1 || next > partitionCount || placement < 0) {
        throw malformed("range " + range + " has " + partitions + " partitions");
      }
      if (placement >= placements.length) {
        throw malformed("range " + range + " has unknown placement " + placement);
      }
      chains[range] = placements[placement];
    }
    if (next != partitionCount || generation < 0 || !in.isAtEnd()) {
      throw malformed("ranges have " + next + " of " + partitionCount + " partitions");
    }
    return new ShuffleAssignment(
        shuffle,
        generation,
        List.copyOf(servers),
        new Replacements(replacements, leaving),
        firsts,
        chains,
        partitionCount);
  }

  private static int[] chain(CodedInputStream in, int length, int serverCount)
      throws IOException, SluiceException {
    int[] chain = new int[count(in, length, "servers of a chain")];
    for (int position = 0; position < chain.length; position++) {
      chain[position] = in.readUInt32();
      if (chain[position] < 0 || chain[position] >= serverCount) {
        throw malformed("a chain has unknown server " + chain[position]);
      }
    }
    return chain;
  }

  /** Rejects cyclic replacements. */
  private static void requireNoCycles(int[] replacements) throws SluiceException {
    for (int server = 0; server < replacements.length; server++) {
      int at = server;
      for (int steps = 0; replacements[at] >= 0; steps++) {
        if (steps > replacements.length) {
          throw malformed("cyclic replacements of server " + server);
        }
        at = replacements[at];
      }
    }
  }

  /**
   * Reads a count of elements of at least one byte each, so that a wrong count allocates no memory.
   */
  private static int count(CodedInputStream in, int length, String what)
      throws IOException, SluiceException {
    int count = in.readUInt32();
    if (count < 1 || count > length - in.getTotalBytesRead()) {
      throw malformed("invalid number of " + what + ": " + Integer.toUnsignedString(count));
    }
    return count;
  }

  private static SluiceException malformed(String what) {
    return new SluiceException(StatusCode.BAD_MESSAGE, "malformed assignment: " + what);
  }
}

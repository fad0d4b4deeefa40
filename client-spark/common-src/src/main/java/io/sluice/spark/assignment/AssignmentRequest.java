package io.sluice.spark.assignment;

import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A task's request to the driver for the newest assignment of a shuffle, optionally with a
 * replacement for one server. Sent as bytes, because Spark's RPC may not find classes from the
 * application's jars.
 *
 * <pre>
 *  request   := version:u8 shuffle:i32 cause:u8 [ name length:i32 name partitions:i32 *partition:i32 ]
 *  cause     := 0 no server to replace, nothing follows | 1 failed | 2 full
 * </pre>
 *
 * Big-endian. The reply is {@link io.sluice.client.coordinator.ShuffleAssignment#toBytes}, or empty
 * if the driver does not know the shuffle.
 *
 * @param server name of the server to replace; null to request only the newest assignment
 * @param cause null if and only if server is
 * @param partitions full partitions, ascending; empty for other causes
 */
record AssignmentRequest(int shuffle, String server, Cause cause, List<Integer> partitions) {
  private static final byte VERSION = 1;
  private static final byte NONE = 0;
  private static final byte FAILED = 1;
  private static final byte FULL = 2;

  AssignmentRequest {
    partitions = List.copyOf(partitions);
  }

  static AssignmentRequest newest(int shuffle) {
    return new AssignmentRequest(shuffle, null, null, List.of());
  }

  byte[] toBytes() {
    byte[] name = server == null ? new byte[0] : server.getBytes(StandardCharsets.UTF_8);
    int length = 2 + Integer.BYTES;
    if (server != null) {
      length += Integer.BYTES * (2 + partitions.size()) + name.length;
    }
    ByteBuffer out = ByteBuffer.allocate(length).put(VERSION).putInt(shuffle);
    if (server == null) {
      return out.put(NONE).array();
    }
    out.put(
        switch (cause) {
          case FAILED -> FAILED;
          case FULL -> FULL;
        });
    out.putInt(name.length).put(name).putInt(partitions.size());
    partitions.forEach(out::putInt);
    return out.array();
  }

  /**
   * Decodes the result of {@link #toBytes}.
   *
   * @throws SluiceException BAD_VERSION or BAD_MESSAGE if the bytes are not a valid request
   */
  static AssignmentRequest fromBytes(byte[] bytes) throws SluiceException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte version = in.get();
      if (version != VERSION) {
        throw new SluiceException(
            StatusCode.BAD_VERSION,
            "request to the driver: expected version " + VERSION + ", found " + version);
      }
      int shuffle = in.getInt();
      byte kind = in.get();
      if (kind == NONE) {
        return newest(shuffle);
      }
      if (kind != FAILED && kind != FULL) {
        throw new SluiceException(
            StatusCode.BAD_MESSAGE, "request to the driver: expected cause 0..2, found " + kind);
      }
      byte[] name = new byte[count(in.getInt(), in.remaining())];
      in.get(name);
      int partitions = count(in.getInt(), in.remaining() / Integer.BYTES);
      List<Integer> full = new ArrayList<>(partitions);
      for (int i = 0; i < partitions; i++) {
        full.add(in.getInt());
      }
      return new AssignmentRequest(
          shuffle,
          new String(name, StandardCharsets.UTF_8),
          kind == FAILED ? Cause.FAILED : Cause.FULL,
          full);
    } catch (BufferUnderflowException e) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "request to the driver: truncated, found " + bytes.length + " bytes",
          e);
    }
  }

  private static int count(int found, int most) throws SluiceException {
    if (found < 0 || found > most) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "request to the driver: expected a count of at most " + most + ", found " + found);
    }
    return found;
  }
}

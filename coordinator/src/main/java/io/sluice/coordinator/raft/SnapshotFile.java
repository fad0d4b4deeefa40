package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.sluice.proto.SharedLogSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A snapshot of the shared log, version 1. Numbers are little-endian.
 *
 * <pre>
 *   0    4 magic              "SLMS"
 *   4    2 version            1; a reader refuses unknown versions
 *   6    2 reserved           zero
 *   8    4 checksum           CRC32C of the bytes from 12
 *  12      snapshot           SharedLogSnapshot
 * </pre>
 */
final class SnapshotFile {
  static final int VERSION = 1;

  private static final int MAGIC = 'S' | 'L' << 8 | 'M' << 16 | 'S' << 24;
  private static final int HEADER_LENGTH = 12;

  /** Larger than any state: 10,000 ended applications, 2,000 events and an hour of samples. */
  private static final long MAX_LENGTH = 256 << 20;

  private SnapshotFile() {}

  static byte[] encode(List<byte[]> records) {
    SharedLogSnapshot.Builder snapshot = SharedLogSnapshot.newBuilder();
    records.forEach(record -> snapshot.addRecords(UnsafeByteOperations.unsafeWrap(record)));
    byte[] body = snapshot.build().toByteArray();
    return ByteBuffer.allocate(HEADER_LENGTH + body.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC)
        .putShort((short) VERSION)
        .putShort((short) 0)
        .putInt(checksum(ByteBuffer.wrap(body)))
        .put(body)
        .array();
  }

  /**
   * Decodes a snapshot.
   *
   * @throws IOException if it is damaged or of an unknown version; the message is one line
   */
  static List<byte[]> decode(byte[] bytes) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_LENGTH || in.getInt() != MAGIC) {
      throw new IOException("not a snapshot of a shared metadata log");
    }
    int version = in.getShort();
    if (version != VERSION || in.getShort() != 0) {
      throw new IOException("expected version " + VERSION + ", found " + version);
    }
    if (in.getInt() != checksum(in.slice())) {
      throw new IOException("the checksum does not match");
    }
    try {
      return SharedLogSnapshot.parseFrom(in).getRecordsList().stream()
          .map(ByteString::toByteArray)
          .toList();
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("the snapshot cannot be decoded: " + e.getMessage(), e);
    }
  }

  static List<byte[]> read(Path file) throws IOException {
    long length = Files.size(file);
    if (length > MAX_LENGTH) {
      throw new IOException(file + ": " + length + " bytes, maximum " + MAX_LENGTH);
    }
    try {
      return decode(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Writes a file so that it is complete or absent after a crash. */
  static void write(Path file, List<byte[]> records) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel out =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(encode(records));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static int checksum(ByteBuffer body) {
    CRC32C crc = new CRC32C();
    crc.update(body);
    return (int) crc.getValue();
  }
}

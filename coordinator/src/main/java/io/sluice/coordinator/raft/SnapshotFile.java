package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.sluice.coordinator.log.CheckedFormat;
import io.sluice.proto.SharedLogSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A snapshot of the shared log, version 1: a {@link CheckedFormat} with one {@code
 * SharedLogSnapshot}.
 */
final class SnapshotFile {
  private static final CheckedFormat FORMAT =
      new CheckedFormat("a snapshot of a shared metadata log", "SLMS", 1);

  /** Larger than any state: 10,000 ended applications, 2,000 events and an hour of samples. */
  private static final long MAX_LENGTH = 256 << 20;

  private SnapshotFile() {}

  static byte[] encode(List<byte[]> records) {
    SharedLogSnapshot.Builder snapshot = SharedLogSnapshot.newBuilder();
    records.forEach(record -> snapshot.addRecords(UnsafeByteOperations.unsafeWrap(record)));
    return FORMAT.encode(snapshot.build().toByteArray());
  }

  /**
   * Decodes a snapshot.
   *
   * @throws IOException if it is damaged or of an unknown version; the message is one line
   */
  static List<byte[]> decode(byte[] bytes) throws IOException {
    try {
      return SharedLogSnapshot.parseFrom(FORMAT.decode(bytes)).getRecordsList().stream()
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

  static void write(Path file, List<byte[]> records) throws IOException {
    write(file, encode(records));
  }

  /** Writes a file so that it is complete or absent after a crash. */
  static void write(Path file, byte[] contents) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel out =
        FileChannel.open(
            unfinished,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(contents);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }
}

package io.sluice.coordinator.log;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.sluice.proto.CoordinatorBackup;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The state of the coordinators in one file, version 1: a {@link CheckedFormat} with one {@code
 * CoordinatorBackup}.
 *
 * @param createdMs when the copy was made, in milliseconds since 1970
 * @param coordinator address of the coordinator that made it; empty: it had no quorum
 * @param leading whether it led, so that no committed change is missing
 * @param records the records that restore the state
 */
public record Backup(long createdMs, String coordinator, boolean leading, List<byte[]> records) {
  /** Maximum length of a file: several times the state of the largest cluster. */
  public static final int MAX_BYTES = 60 << 20;

  private static final CheckedFormat FORMAT =
      new CheckedFormat("a backup of a coordinator", "SLMB", 1);

  /**
   * Returns the contents of the file.
   *
   * @throws IOException if the state is too large
   */
  public byte[] encode() throws IOException {
    CoordinatorBackup.Builder message =
        CoordinatorBackup.newBuilder()
            .setCreatedMs(createdMs)
            .setCoordinator(coordinator)
            .setLeading(leading);
    records.forEach(record -> message.addRecords(UnsafeByteOperations.unsafeWrap(record)));
    byte[] file = FORMAT.encode(message.build().toByteArray());
    if (file.length > MAX_BYTES) {
      throw new IOException("the state has " + file.length + " bytes, maximum " + MAX_BYTES);
    }
    return file;
  }

  /**
   * Decodes a file.
   *
   * @throws IOException if it is damaged or of an unknown version; the message is one line
   */
  public static Backup decode(byte[] file) throws IOException {
    try {
      CoordinatorBackup message = CoordinatorBackup.parseFrom(FORMAT.decode(file));
      return new Backup(
          message.getCreatedMs(),
          message.getCoordinator(),
          message.getLeading(),
          message.getRecordsList().stream().map(ByteString::toByteArray).toList());
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("the backup cannot be decoded: " + e.getMessage(), e);
    }
  }

  /**
   * Reads the contents of a file.
   *
   * @throws IOException if it is longer than the longest backup
   */
  public static byte[] read(InputStream in) throws IOException {
    byte[] file = in.readNBytes(MAX_BYTES + 1);
    if (file.length > MAX_BYTES) {
      throw new IOException("longer than " + MAX_BYTES + " bytes, the maximum of a backup");
    }
    return file;
  }
}

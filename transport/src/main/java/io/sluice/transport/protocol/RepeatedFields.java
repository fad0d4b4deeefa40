package io.sluice.transport.protocol;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.transport.protocol.FrameFormatException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Counts the values of a request's repeated fields before the request is parsed. An empty range of
 * a Fetch has 2 encoded bytes and 60 bytes of heap; a head of maximum length could have 262,144
 * ranges.
 */
final class RepeatedFields {
  /** There are two kinds; a newer client may have more. */
  private static final int MAX_FILE_KINDS = 16;

  private RepeatedFields() {}

  /**
   * @throws FrameFormatException if a field has more values than the protocol allows
   */
  static void check(FrameType type, byte[] head)
      throws FrameFormatException, InvalidProtocolBufferException {
    switch (type) {
      case OPEN -> {
        check(type, head, Open.PARTITIONS_FIELD_NUMBER, "partitions", FrameLimits.MAX_PARTITIONS);
        check(type, head, Open.WANT_FILE_KINDS_FIELD_NUMBER, "file kinds", MAX_FILE_KINDS);
      }
      case FETCH -> {
        check(type, head, Fetch.RANGES_FIELD_NUMBER, "ranges", FrameLimits.MAX_RANGES);
        check(
            type,
            head,
            Fetch.DAMAGED_FIELD_NUMBER,
            "damaged blocks",
            FrameLimits.MAX_REPORTED_BLOCKS);
      }
      // Replies, and requests without repeated fields.
      case HELLO,
          HELLO_REPLY,
          PUSH,
          PUSH_ACK,
          OPEN_REPLY,
          FETCH_REPLY,
          ERROR,
          CHALLENGE,
          PROOF -> {}
    }
  }

  private static void check(FrameType type, byte[] head, int field, String values, int limit)
      throws FrameFormatException, InvalidProtocolBufferException {
    long count = 0;
    try {
      CodedInputStream in = CodedInputStream.newInstance(head);
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        boolean counted = WireFormat.getTagFieldNumber(tag) == field;
        if (counted && isPacked(type, tag)) {
          int length = in.readRawVarint32();
          int start = in.getTotalBytesRead();
          in.skipRawBytes(length);
          count += varints(head, start, length);
        } else {
          count += counted ? 1 : 0;
          in.skipField(tag);
        }
        if (count > limit) {
          throw new FrameFormatException(
              Reason.BAD_HEAD, "frame " + type + ": more than " + limit + " " + values);
        }
      }
    } catch (InvalidProtocolBufferException | FrameFormatException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException("internal error: reading an array failed", e);
    }
  }

  /**
   * Repeated numbers are encoded one by one or packed; only numbers of OPEN are counted as packed.
   */
  private static boolean isPacked(FrameType type, int tag) {
    return type == FrameType.OPEN
        && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  /** Each varint ends with a byte below 128. */
  private static int varints(byte[] bytes, int start, int length) {
    int count = 0;
    for (int at = start; at < start + length; at++) {
      count += bytes[at] >= 0 ? 1 : 0;
    }
    return count;
  }
}
